import CaptureFiles
import Foundation
import TestSupport

/// The inputs that fuzzing begins with, made of the project's own recordings and of the builders that tests use.
public enum Seeds {
  /// The largest that is written; small inputs are mutated more thoroughly.
  public static let byteLimit = 6144

  /// The inputs of one target, by name.
  public static func of(_ target: FuzzTarget) throws -> [String: [UInt8]] {
    switch target {
    case .btsnoop: try btsnoop()
    case .packetlogger: try packetLogger()
    case .pcap: try pcap()
    case .pcapng: try pcapng()
    case .linktypes: linkTypes()
    case .usb: usb()
    case .snooz: try snooz()
    case .zip: try zip()
    case .tar: try tar()
    case .gzip: try gzip()
    case .session: sessions()
    case .scenario: try scenarios()
    }
  }

  /// Writes the inputs of every target into a folder of its name.
  public static func write(to folder: URL) throws {
    for target in FuzzTarget.allCases {
      let place = folder.appending(path: target.rawValue)
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      for (name, bytes) in try of(target) {
        guard bytes.count <= byteLimit else { throw TooLarge(name: "\(target.rawValue)/\(name)", byteCount: bytes.count) }
        try Data(bytes).write(to: place.appending(path: name))
      }
    }
  }

  /// A seed outgrew its limit.
  struct TooLarge: Error {
    var name: String
    var byteCount: Int
  }

  /// A packet of a recording.
  struct Packet {
    var kind: CaptureRecord.Kind
    var direction: CaptureRecord.Direction
    var bytes: [UInt8]
    var time: CaptureTime

    /// H4's indicator.
    var indicator: UInt8 {
      switch kind {
      case .command: 1
      case .aclData: 2
      case .synchronousData: 3
      case .event: 4
      default: 5
      }
    }
  }

  /// Packets of a recording from its `start`-th on, as many as fit into `byteLimit` bytes with headers of 32.
  static func packets(_ recording: String, from start: Int = 0, byteLimit: Int = 2500) throws -> [Packet] {
    var (packets, byteCount): ([Packet], Int) = ([], 0)
    var reader = try CaptureReader(path: Repository.capture(recording))
    try reader.forEachRecord { record in
      guard record.number > start, record.kind.isPacket else { return }
      byteCount += record.bytes.byteCount + 32
      guard byteCount <= byteLimit else { return }
      packets.append(Packet(kind: record.kind, direction: record.direction, bytes: record.bytes.array, time: record.recordedTime))
    }
    return packets
  }

  /// Those packets as btsnoop.
  static func log(_ packets: [Packet], _ datalink: BtsnoopDatalink = .hciUART) -> [UInt8] {
    var writer = BtsnoopWriter(datalink: datalink)
    for packet in packets {
      writer.append(
        packet.bytes, type: HCIPacketType(rawValue: packet.indicator), direction: packet.direction, time: packet.time)
    }
    return writer.bytes
  }
}
