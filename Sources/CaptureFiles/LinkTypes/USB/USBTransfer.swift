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
