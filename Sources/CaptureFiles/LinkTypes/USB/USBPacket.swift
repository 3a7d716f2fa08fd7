import ByteParsing

/// One HCI packet that USB transfers brought, over borrowed bytes.
package struct USBPacket: ~Escapable {
  package let kind: CaptureRecord.Kind
  package let direction: CaptureRecord.Direction
  /// The controller's number.
  package let adapter: UInt16
  /// The packet without the H4 indicator.
  package let bytes: RawSpan
  /// The bytes that the packet had.
  package let originalLength: Int

  @_lifetime(copy bytes)
  init(kind: CaptureRecord.Kind, direction: CaptureRecord.Direction, adapter: UInt16, bytes: RawSpan, originalLength: Int) {
    (self.kind, self.direction, self.adapter) = (kind, direction, adapter)
    self.bytes = bytes
    self.originalLength = max(originalLength, bytes.byteCount)
  }
}
