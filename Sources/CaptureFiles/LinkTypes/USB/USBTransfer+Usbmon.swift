import ByteParsing

extension USBTransfer {
  /// Reads a record of Linux's usbmon.
  ///
  /// `id(8) event(1) kind(1) endpoint(1) device(1) bus(2) setupFlag(1) dataFlag(1) seconds(8) microseconds(4) status(4)
  /// length(4) capturedLength(4) setup(8)`, in the longer form then `interval(4) startFrame(4) flags(4) descriptors(4)` and
  /// 16 bytes for each descriptor of an isochronous transfer. The event is `S`, `C` or `E`; a flag of 0 says that setup or
  /// data are there. Source: tcpdump.org/linktypes/LINKTYPE_USB_LINUX_MMAPPED.html, Linux Documentation/usb/usbmon.rst.
  @_lifetime(copy bytes)
  init(usbmon bytes: RawSpan, headerLength: Int, isBigEndian: Bool) throws(LinkTypeError) {
    guard bytes.byteCount >= headerLength else { throw .tooShort(needed: headerLength, available: bytes.byteCount) }
    func word(_ offset: Int) -> Int {
      let value = bytes.uint32(at: offset)
      return Int(isBigEndian ? value.byteSwapped : value)
    }
    let (event, endpoint) = (bytes.uint8(at: 8), bytes.uint8(at: 10))
    guard [0x53, 0x43, 0x45].contains(event) else { throw .notAPacket(event) }
    guard let kind = Kind(rawValue: bytes.uint8(at: 9)) else { throw .notAPacket(bytes.uint8(at: 9)) }
    let isSubmit = event == 0x53
    let bus = bytes.uint16(at: 12)
    var start = headerLength
    if kind == .isochronous, headerLength == 64 {
      start += 16 * word(60)
      guard start <= bytes.byteCount else { throw .tooShort(needed: start, available: bytes.byteCount) }
    }
    // The side that brings no data tells the length of the other one's.
    let bringsData = isSubmit == (endpoint & 0x80 == 0)
    let captured = bytes.uint8(at: 15) == 0 ? word(36) : 0
    self.init(
      bus: isBigEndian ? bus.byteSwapped : bus, device: UInt16(bytes.uint8(at: 11)), endpoint: endpoint, kind: kind, isSubmit: isSubmit,
      setup: bytes.uint8(at: 14) == 0 && kind == .control ? USBSetup(parsing: bytes.extracting(40..<48)) : nil,
      data: bytes.extracting(start..<min(start + captured, bytes.byteCount)), originalLength: bringsData ? word(32) : 0)
  }
}
