public import CaptureFiles

/// What a sniffer heard, counted by kind.
public struct AirTraffic: Sendable, Hashable {
  /// Advertisements and scan responses, requests for the latter, and requests to connect.
  public private(set) var advertisements = 0
  public private(set) var scanRequests = 0
  public private(set) var connectionRequests = 0
  /// Packets of links, and those among them whose payload the sniffer could not decrypt.
  public private(set) var data = 0
  public private(set) var encrypted = 0
  /// Packets with a wrong checksum, which are believed in nothing, and packets whose bytes no PDU has.
  public private(set) var damaged = 0
  public private(set) var malformed = 0
  /// Packets of each link, by its access address; of a hostile capture the first thousand.
  public private(set) var links: [AccessAddress: Int] = [:]
  private static let maximumLinks = 1000

  /// Packets in all.
  public var packets: Int { advertisements + scanRequests + connectionRequests + data + damaged + malformed }

  /// A request to connect.
  struct Request {
    let initiator: BluetoothAddress
    let advertiser: BluetoothAddress
    let data: LLData
  }

  /// Counts a packet of a link; `isDamaged` says that its checksum was worked out to be wrong.
  mutating func add(data packet: borrowing LinkLayerPacket, isDamaged: Bool) {
    guard !isDamaged else {
      damaged += 1
      return
    }
    data += 1
    if packet.isEncryptedBySniffer == true { encrypted += 1 }
    if links.count < Self.maximumLinks || links[packet.accessAddress] != nil { links[packet.accessAddress, default: 0] += 1 }
  }

  /// Counts what is advertised, tells the advertiser table of it, and gives back a request to connect.
  mutating func add(
    advertised packet: borrowing LinkLayerPacket, _ table: inout AdvertiserTable, time: CaptureTime
  ) -> Request? {
    guard packet.crcIsValid != false else {
      damaged += 1
      return nil
    }
    guard let pdu = try? AdvertisingPDUView(parsing: packet.pdu) else {
      malformed += 1
      return nil
    }
    switch pdu.payload {
    case .connect(let initiator, let advertiser, let data):
      connectionRequests += 1
      return Request(initiator: initiator, advertiser: advertiser, data: data)
    case .scanRequest: scanRequests += 1
    case .unknown: malformed += 1
    case .advertisement, .directed, .extended:
      advertisements += 1
      table.add(packet, time: time)
    }
    return nil
  }
}
