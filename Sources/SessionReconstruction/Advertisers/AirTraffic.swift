public import CaptureFiles

/// What a sniffer heard, counted by kind; the links among it are not followed.
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

  /// Counts a packet, and tells the advertiser table of it.
  mutating func add(_ packet: borrowing LinkLayerPacket, _ table: inout AdvertiserTable, time: CaptureTime) {
    guard packet.crcIsValid != false else {
      damaged += 1
      return
    }
    guard packet.physicalChannel == .advertising else {
      data += 1
      if packet.isEncryptedBySniffer == true { encrypted += 1 }
      if links.count < Self.maximumLinks || links[packet.accessAddress] != nil { links[packet.accessAddress, default: 0] += 1 }
      return
    }
    guard let pdu = try? AdvertisingPDUView(parsing: packet.pdu) else {
      malformed += 1
      return
    }
    switch pdu.payload {
    case .connect: connectionRequests += 1
    case .scanRequest: scanRequests += 1
    case .unknown: malformed += 1
    case .advertisement, .directed, .extended:
      advertisements += 1
      table.add(packet, time: time)
    }
  }
}
