/// The container of a capture, told by its content.
public enum CaptureFormat: Sendable, Hashable {
  case btsnoop(BtsnoopDatalink)
  /// Apple's PacketLogger; `bigEndian` on iOS and older macOS.
  case packetLogger(bigEndian: Bool)

  /// The format's name.
  public var name: String {
    switch self {
    case .btsnoop: "btsnoop"
    case .packetLogger: "PacketLogger"
    }
  }

  /// The number by which the container names its packets' kind; `nil` where it has none.
  public var linkType: Int? {
    switch self {
    case .btsnoop(let datalink): Int(datalink.rawValue)
    case .packetLogger: nil
    }
  }

  /// Name and variant, for people.
  public var description: String {
    switch self {
    case .btsnoop(let datalink): "btsnoop, datalink \(datalink.rawValue)"
    case .packetLogger(let bigEndian): "PacketLogger, \(bigEndian ? "big" : "little")-endian"
    }
  }
}
