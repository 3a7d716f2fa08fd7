import ByteParsing

/// One side of a USB transfer over borrowed bytes: what a host submitted, or how it was completed.
package struct USBTransfer: ~Escapable {
  /// The raw values are those of usbmon and of USBPcap.
  package enum Kind: UInt8, Sendable, Hashable { case isochronous = 0, interrupt = 1, control = 2, bulk = 3 }

  package let bus: UInt16
  package let device: UInt16
  /// The endpoint's number, with bit 7 set where data goes to the host.
  package let endpoint: UInt8
  package let kind: Kind
  /// Whether the host asks, and not the device's side answers.
  package let isSubmit: Bool
  /// The request of a control transfer, where the record has it.
  package let setup: USBSetup?
  /// The data that this side brings and the capture kept.
  package let data: RawSpan
  /// The bytes that ``data`` had.
  package let originalLength: Int

  @_lifetime(copy data)
  init(
    bus: UInt16, device: UInt16, endpoint: UInt8, kind: Kind, isSubmit: Bool, setup: USBSetup?, data: RawSpan, originalLength: Int
  ) {
    (self.bus, self.device, self.endpoint, self.kind) = (bus, device, endpoint, kind)
    (self.isSubmit, self.setup, self.data) = (isSubmit, setup, data)
    self.originalLength = max(originalLength, data.byteCount)
  }

  /// Whether data goes to the host.
  package var isInput: Bool { endpoint & 0x80 != 0 }
}

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

/// The link types of pcap and pcapng that hold USB transfers.
///
/// Source: tcpdump.org/linktypes.html.
package enum USBLinkType: UInt32, Sendable, Hashable, CaseIterable {
  /// LINKTYPE_USB_LINUX: usbmon's header of 48 bytes.
  case usbmon = 189
  /// LINKTYPE_USB_LINUX_MMAPPED: usbmon's header of 64 bytes.
  case usbmonMapped = 220
  /// LINKTYPE_USBPCAP: USBPcap on Windows.
  case usbPcap = 249

  /// Reads one record; usbmon's integers are in the order of the host that captured, which the file's header tells.
  @_lifetime(copy bytes)
  package func parse(_ bytes: RawSpan, isBigEndian: Bool) throws(LinkTypeError) -> USBTransfer {
    switch self {
    case .usbmon: try USBTransfer(usbmon: bytes, headerLength: 48, isBigEndian: isBigEndian)
    case .usbmonMapped: try USBTransfer(usbmon: bytes, headerLength: 64, isBigEndian: isBigEndian)
    case .usbPcap: try USBTransfer(usbPcap: bytes)
    }
  }
}
