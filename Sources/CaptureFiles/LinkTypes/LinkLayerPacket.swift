package import BLEWire
import ByteParsing

/// One packet of the LE link layer over borrowed bytes, and what the sniffer tells of its reception.
///
/// On the air it is `accessAddress(4) header(2) payload(length) CRC(3)`; on the coded PHY sniffers put the coding indicator
/// (1) behind the access address. Source: Core 5.4, Vol 6, Part B, 2.1 and 2.2.
package struct LinkLayerPacket: ~Escapable {
  /// How it was modulated; the raw values are those of the sniffers' headers.
  package enum PHY: UInt8, Sendable, Hashable { case le1M = 0, le2M = 1, coded = 2 }

  /// The layout of the PDU.
  package enum PhysicalChannel: Sendable, Hashable { case advertising, data, isochronous }

  /// Which PDU of extended advertising type 7 stands for on a secondary channel; the raw values are those of the sniffers' headers.
  package enum Auxiliary: UInt8, Sendable, Hashable { case advertisement = 0, chain = 1, sync = 2, scanResponse = 3 }

  /// The link's; where the sniffer heard it with bit errors, the one that it listened for.
  package var accessAddress: AccessAddress
  /// Header and payload, without the CRC; fewer bytes than ``originalLength`` where the capture kept fewer.
  package let pdu: RawSpan
  /// The bytes that header and payload had, as the header tells.
  package let originalLength: Int
  package let physicalChannel: PhysicalChannel
  /// As it stands behind the PDU, least significant octet first; `nil` where it is cut off.
  package let crc: UInt32?
  /// What the sniffer tells, or what the checksum says of a PDU that is advertised; `nil` where nobody knows.
  package var crcIsValid: Bool?
  /// The channel's index: 0…36 for data, 37…39 for advertising.
  package var channel: Int?
  /// In dBm.
  package var rssi: Int?
  package var phy: PHY?
  package var isCentralToPeripheral: Bool?
  /// Whether the sniffer knows the link to be encrypted and could not decrypt the payload.
  package var isEncryptedBySniffer: Bool?
  /// Whether the sniffer decrypted the payload. Nordic's takes the MIC away; others may keep its four bytes.
  package var isDecrypted = false
  package var auxiliary: Auxiliary?
  /// The number of the sniffer's board, which tells several apart; 0 where there is none.
  package var board: UInt8 = 0

  /// Reads a packet from its access address on; what the sniffer does not tell comes from access address and checksum.
  @_lifetime(copy bytes)
  init(
    parsing bytes: RawSpan, hasCodingIndicator: Bool = false, physicalChannel told: PhysicalChannel? = nil,
    crcIsValid toldValid: Bool? = nil
  ) throws(LinkTypeError) {
    let start = hasCodingIndicator ? 5 : 4
    guard bytes.byteCount >= start + 2 else { throw .tooShort(needed: start + 2, available: bytes.byteCount) }
    accessAddress = AccessAddress(rawValue: bytes.uint32(at: 0))
    physicalChannel = told ?? (accessAddress == .advertising ? .advertising : .data)
    // On a link this bit announces a third octet of the header.
    let hasToneInfo = physicalChannel == .data && bytes.uint8(at: start) & 0x20 != 0
    originalLength = (hasToneInfo ? 3 : 2) + Int(bytes.uint8(at: start + 1))
    let end = start + originalLength
    pdu = bytes.extracting(start..<min(end, bytes.byteCount))
    crcIsValid = toldValid
    guard bytes.byteCount >= end + 3 else {
      crc = nil
      return
    }
    let checksum = UInt32(bytes.uint16(at: end)) | UInt32(bytes.uint8(at: end + 2)) << 16
    crc = checksum
    if toldValid == nil, accessAddress == .advertising, physicalChannel == .advertising {
      crcIsValid = LinkLayerCRC.of(pdu, initial: LinkLayerCRC.advertisingInitial) == checksum
    }
  }

  /// The index of the channel at `2402 + 2 × number` MHz: the advertising channels lie between the others (Vol 6, Part B, 1.4.1).
  static func channel(radioFrequency number: Int) -> Int? {
    switch number {
    case 0: 37
    case 1...11: number - 1
    case 12: 38
    case 13...38: number - 2
    case 39: 39
    default: nil
    }
  }
}
