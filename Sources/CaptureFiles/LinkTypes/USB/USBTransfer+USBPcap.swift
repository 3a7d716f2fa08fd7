import ByteParsing

extension USBTransfer {
  /// Reads a record of USBPcap, all little-endian.
  ///
  /// `headerLength(2) requestID(8) status(4) function(2) info(1) bus(2) device(2) endpoint(1) kind(1) dataLength(4)`, in control
  /// transfers then `stage(1)`; the data follows where the header ends. Bit 0 of info is set on the way to the host. The data
  /// of stage 0 begins with the setup; what a command brings follows it, or comes in a record of stage 1 from older versions.
  /// Source: desowin.org/usbpcap/captureformat.html.
  @_lifetime(copy bytes)
  init(usbPcap bytes: RawSpan) throws(LinkTypeError) {
    let fields = 27
    guard bytes.byteCount >= fields else { throw .tooShort(needed: fields, available: bytes.byteCount) }
    guard let kind = Kind(rawValue: bytes.uint8(at: 22)) else { throw .notAPacket(bytes.uint8(at: 22)) }
    let headerLength = Int(bytes.uint16(at: 0))
    guard headerLength >= (kind == .control ? fields + 1 : fields) else { throw .badHeaderLength(headerLength) }
    guard headerLength <= bytes.byteCount else { throw .tooShort(needed: headerLength, available: bytes.byteCount) }
    var length = Int(bytes.uint32(at: 23))
    var data = bytes.extracting(headerLength..<min(headerLength + length, bytes.byteCount))
    var setup: USBSetup?
    if kind == .control, bytes.uint8(at: fields) == 0 {
      setup = USBSetup(parsing: data)
      data = data.suffix(from: USBSetup.byteCount)
      length = max(0, length - USBSetup.byteCount)
    }
    self.init(
      bus: bytes.uint16(at: 17), device: bytes.uint16(at: 19), endpoint: bytes.uint8(at: 21), kind: kind,
      isSubmit: bytes.uint8(at: 16) & 1 == 0, setup: setup, data: data, originalLength: length)
  }
}
