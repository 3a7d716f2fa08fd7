import CaptureFiles

extension AdvertiserTable {
  /// Takes a packet that a sniffer heard, and tells whether it was an advertisement or a scan response that can be believed.
  @discardableResult
  mutating func add(_ packet: borrowing LinkLayerPacket, time: CaptureTime) -> Bool {
    // A wrong checksum means wrong bits, also in the address: it would make an advertiser that never was.
    guard packet.physicalChannel == .advertising, packet.crcIsValid != false, packet.pdu.byteCount == packet.originalLength,
      let pdu = try? AdvertisingPDUView(parsing: packet.pdu)
    else { return false }
    return add(pdu, isScanResponse: packet.auxiliary == .scanResponse, rssi: packet.rssi, time: time)
  }

  /// Takes a PDU whose checksum was right; `isScanResponse` tells AUX_SCAN_RSP from the other extended PDUs.
  @discardableResult
  mutating func add(_ pdu: borrowing AdvertisingPDUView, isScanResponse: Bool = false, rssi: Int?, time: CaptureTime) -> Bool {
    guard let address = pdu.advertiser, let kind = Self.kind(of: pdu, isScanResponse: isScanResponse) else { return false }
    add(AdvertisingReport(kind: kind, address: address, rssi: rssi.map { Int8(clamping: $0) } ?? 127), data: pdu.data, time: time)
    return true
  }

  /// The kind that a controller would report; `nil` for a PDU that advertises nothing.
  private static func kind(of pdu: borrowing AdvertisingPDUView, isScanResponse: Bool) -> AdvertisingReport.Kind? {
    switch (pdu.header.type, pdu.payload) {
    case (.undirected, _): return [.legacy, .connectable, .scannable]
    case (.directed, _): return [.legacy, .connectable, .directed]
    case (.nonConnectable, _): return .legacy
    case (.scannable, _): return [.legacy, .scannable]
    case (.scanResponse, _): return [.legacy, .scannable, .scanResponse]
    case (.extended, .extended(let header, let data)):
      // Without data it only announces where the data follow, and must not replace those that are known.
      if header.auxPointer != nil, data.isEmpty { return nil }
      var kind = AdvertisingReport.Kind(rawValue: UInt16(header.mode.rawValue))
      if header.target != nil { kind.insert(.directed) }
      if isScanResponse { kind.insert(.scanResponse) }
      // The rest comes in PDUs that do not name the advertiser.
      if header.auxPointer != nil { kind.insert(.cut) }
      return kind
    default: return nil
    }
  }
}
