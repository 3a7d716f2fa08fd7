/// The container of a capture, told by its content.
public enum CaptureFormat: Sendable, Hashable {
  case btsnoop(BtsnoopDatalink)
  /// Apple's PacketLogger; `bigEndian` on iOS and older macOS.
  case packetLogger(bigEndian: Bool)
  case pcap(LinkType)
  /// The link types at the head of the file; sections and interfaces further on may have others.
  case pcapng([UInt32])

  /// The format's name.
  public var name: String {
    switch self {
    case .btsnoop: "btsnoop"
    case .packetLogger: "PacketLogger"
    case .pcap: "pcap"
    case .pcapng: "pcapng"
    }
  }

  /// The number by which the container names its packets' kind; `nil` where it has none or several.
  public var linkType: Int? {
    switch self {
    case .btsnoop(let datalink): Int(datalink.rawValue)
    case .packetLogger: nil
    case .pcap(let type): Int(type.rawValue)
    case .pcapng(let numbers): Set(numbers).count == 1 ? numbers.first.map(Int.init) : nil
    }
  }

  /// Name and variant, for people.
  public var description: String {
    switch self {
    case .btsnoop(let datalink): return "btsnoop, datalink \(datalink.rawValue)"
    case .packetLogger(let bigEndian): return "PacketLogger, \(bigEndian ? "big" : "little")-endian"
    case .pcap(let type): return "pcap, link type \(type.rawValue) (\(type.name))"
    case .pcapng(let numbers):
      let names = Array(Set(numbers)).sorted().map { number in LinkType(rawValue: number).map { "\(number) (\($0.name))" } ?? "\(number)" }
      return names.isEmpty ? "pcapng" : "pcapng, link type\(names.count == 1 ? "" : "s") \(names.joined(separator: ", "))"
    }
  }
}
