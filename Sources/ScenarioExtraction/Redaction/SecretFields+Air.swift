import SessionReconstruction

// Where the PDUs of the link layer name devices (Core 5.4, Vol 6, Part B, 2.3 and 2.4).
extension SecretFields {
  /// The fields of a PDU, without access address and CRC.
  static func air(_ packet: borrowing LinkLayerPacket) -> SecretFields {
    var fields = SecretFields(count: packet.pdu.byteCount)
    switch packet.physicalChannel {
    case .advertising: fields.advertised(packet.pdu)
    case .data: fields.linkData(packet.pdu)
    case .isochronous: fields.add(.opaque, from: 2)
    }
    // With bit errors nothing need stand where it should.
    if packet.crcIsValid == false { fields.add(.data, from: 2) }
    return fields
  }

  private mutating func advertised(_ pdu: RawSpan) {
    guard pdu.byteCount > 2 else { return }
    let start = 2
    switch AdvertisingPDUType(rawValue: pdu.uint8(at: 0)) {
    case .undirected, .nonConnectable, .scannable, .scanResponse:
      add(.address, at: start, 6)
      add(.advertising, from: start + 6)
    case .directed, .scanRequest, .connectIndication:
      add(.address, at: start, 6)
      add(.address, at: start + 6, 6)
    case .extended, .auxiliaryConnectResponse:
      let length = Int(pdu.uint8(at: start) & 0x3F)
      if length > 0, pdu.byteCount > start + 1 {
        let flags = pdu.uint8(at: start + 1)
        var place = start + 2
        for bit in [1, 2] as [UInt8] where flags & bit != 0 {
          add(.address, at: place, 6)
          place += 6
        }
      }
      add(.advertising, from: start + 1 + length)
    default: add(.data, from: start)
    }
  }

  private mutating func linkData(_ pdu: RawSpan) {
    guard let data = try? DataPDUView(parsing: pdu) else { return add(.data, from: 2) }
    switch data.header.llid {
    case .start, .continuing: l2cap(pdu, at: data.header.encodedByteCount, isStart: data.header.llid == .start)
    case .control, .reserved: break
    }
  }
}
