import BLEWire
import ByteParsing

extension LinkLayerPacket {
  /// Reads a record of LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR.
  ///
  /// `channel(1) signal(1) noise(1) offenses(1) referenceAddress(4) flags(2)`, then the packet from its access address on.
  /// Bits of the flags: 0 whitening removed, 1 signal valid, 2 noise valid, 3 decrypted, 4 reference address valid,
  /// 5 offenses valid, 6 channel aliased, 7–9 type, 10 CRC checked, 11 CRC valid, 12 MIC checked, 13 MIC valid, 14–15 PHY;
  /// with type 1 bits 12–13 tell the auxiliary PDU. Source: tcpdump.org/linktypes/LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR.html.
  @_lifetime(copy bytes)
  init(radioHeader bytes: RawSpan) throws(LinkTypeError) {
    let headerLength = 10
    guard bytes.byteCount >= headerLength + 6 else { throw .tooShort(needed: headerLength + 6, available: bytes.byteCount) }
    let flags = bytes.uint16(at: 8)
    guard flags & 0x0001 != 0 else { throw .notDewhitened }
    let type = flags >> 7 & 7
    let modulation = PHY(rawValue: UInt8(truncatingIfNeeded: flags >> 14))
    let layout: PhysicalChannel?
    switch type {
    case 1: layout = .advertising
    case 2, 3: layout = .data
    case 4, 5, 6: layout = .isochronous
    default: layout = nil
    }
    try self.init(
      parsing: bytes.suffix(from: headerLength), hasCodingIndicator: modulation == .coded, physicalChannel: layout,
      crcIsValid: flags & 0x0400 != 0 ? flags & 0x0800 != 0 : nil)
    phy = modulation
    if flags & 0x0040 == 0 { channel = Self.channel(radioFrequency: Int(bytes.uint8(at: 0))) }
    if flags & 0x0002 != 0 { rssi = Int(Int8(bitPattern: bytes.uint8(at: 1))) }
    if flags & 0x0030 == 0x0030, bytes.uint8(at: 3) > 0 { accessAddress = AccessAddress(rawValue: bytes.uint32(at: 4)) }
    if type == 1 {
      auxiliary = Auxiliary(rawValue: UInt8(truncatingIfNeeded: flags >> 12) & 3)
    } else if flags & 0x1008 != 0 {
      // A MIC that was checked tells of an encrypted link, also where the sniffer had no key and left the payload as it was.
      isDecrypted = flags & 0x0008 != 0 && flags & 0x3000 != 0x1000
      isEncryptedBySniffer = !isDecrypted
    }
    switch type {
    case 2, 4: isCentralToPeripheral = true
    case 3, 5: isCentralToPeripheral = false
    default: break
    }
  }
}
