import ByteParsing

/// The eight bytes that begin a control transfer, little-endian whatever the host is.
///
/// `requestType(1) request(1) value(2) index(2) length(2)`. Source: USB 2.0, 9.3.
package struct USBSetup: Sendable, Hashable {
  /// How many bytes it takes.
  static let byteCount = 8

  package var requestType: UInt8
  package var request: UInt8
  package var value: UInt16
  package var index: UInt16
  package var length: UInt16

  /// Reads eight bytes; `nil` where there are fewer.
  init?(parsing bytes: RawSpan) {
    guard bytes.byteCount >= Self.byteCount else { return nil }
    (requestType, request) = (bytes.uint8(at: 0), bytes.uint8(at: 1))
    (value, index, length) = (bytes.uint16(at: 2), bytes.uint16(at: 4), bytes.uint16(at: 6))
  }

  /// A class request to the device, which is how a host sends an HCI command (Core 5.4, Vol 4, Part B, 2.2.2).
  var isHCICommand: Bool { requestType == 0x20 }

  /// GET_DESCRIPTOR for the device descriptor (USB 2.0, 9.4.3).
  var asksForDeviceDescriptor: Bool { requestType == 0x80 && request == 6 && value >> 8 == 1 }
}
