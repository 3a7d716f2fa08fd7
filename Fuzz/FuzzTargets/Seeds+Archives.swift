import ByteParsing
import CaptureFiles
import TestSupport

extension Seeds {
  private static let type: [UInt8: (received: UInt8, sent: UInt8)] = [1: (0x20, 0x20), 2: (0x11, 0x21), 3: (0x12, 0x22), 4: (0x10, 0x10)]

  private static func summary(version: UInt8, hasForeignTimes: Bool = false) throws -> SnoozBuilder {
    var builder = SnoozBuilder(version: version, hasForeignTimes: hasForeignTimes)
    for packet in try packets("heart-strap", from: 25, byteLimit: 2000) {
      let types = type[packet.indicator] ?? (0x17, 0x2D)
      builder.packet(
        packet.bytes, type: packet.direction == .controllerToHost ? types.received : types.sent, time: packet.time.microseconds,
        kept: version == 2 && packet.bytes.count > 20 ? 14 : nil)
    }
    return builder
  }

  static func snooz() throws -> [String: [UInt8]] {
    var seeds: [String: [UInt8]] = [:]
    for version in [1, 2] as [UInt8] {
      let builder = try summary(version: version)
      seeds["version-\(version)"] = builder.bytes
      // The forms that the target compresses itself.
      seeds["version-\(version)-inflated"] = [version | 0x40] + builder.bytes[1..<9] + builder.inflated
      seeds["version-\(version)-inflated-text"] = [version | 0x80] + builder.bytes[1..<9] + builder.inflated
    }
    let foreign = try summary(version: 2, hasForeignTimes: true)
    seeds["foreign-times"] = foreign.bytes
    seeds["text"] = try summary(version: 2).text(padding: 300)
    return seeds
  }

  /// Two parts of a rotated log that overlap.
  private static func rotated() throws -> (older: [UInt8], newer: [UInt8]) {
    let packets = try packets("thermo-logger", from: 10, byteLimit: 1600)
    return (log(Array(packets.prefix(packets.count * 2 / 3))), log(Array(packets.dropFirst(packets.count / 2))))
  }

  static func zip() throws -> [String: [UInt8]] {
    let parts = try rotated()
    let report = [("FS/data/log/bt/btsnoop_hci.log", parts.newer), ("FS/data/log/bt/btsnoop_hci.log.last", parts.older)]
    var seeds = ["stored": ZipBuilder(report, method: 0).bytes, "deflated": ZipBuilder(report).bytes]
    var odd = ZipBuilder([("bugreport-x.txt", try summary(version: 2).text()), ("dumpstate_log.txt", Array("nothing".utf8))])
    odd.comment = Array("made by a test".utf8)
    odd.entries[0].hasDescriptor = true
    seeds["summary"] = odd.bytes
    var large = ZipBuilder([("main_entry.txt", Array("bugreport-x.txt".utf8)), ("btsnoop_hci.log", parts.older)], method: 0)
    large.isLarge = true
    for index in large.entries.indices { large.entries[index].isLarge = true }
    seeds["zip64"] = large.bytes
    var hostile = ZipBuilder(report, method: 0)
    hostile.entries[0].method = 12
    hostile.entries[1].flags = 1
    hostile.entries.append(.init("btsnoop_hci.log.2", parts.older, method: 0))
    seeds["some-not-read"] = hostile.bytes
    seeds["prefixed"] = hex("504b0304 0000") + seeds["stored", default: []]
    seeds["compressed-log"] = ZipBuilder([("bt/btsnoop_hci.log.gz", Deflate.compress(parts.older, .gzip))], method: 0).bytes
    seeds["empty"] = ZipBuilder().bytes
    return seeds
  }

  static func tar() throws -> [String: [UInt8]] {
    let parts = try rotated()
    var seeds: [String: [UInt8]] = [:]
    for style in TarBuilder.Style.allCases {
      let folder = style == .gnu ? String(repeating: "long", count: 27) + "/" : ""
      let logs = log(try packets("heart-strap", from: 20, byteLimit: 700))
      seeds["\(style)"] = Array(TarBuilder.archive([("\(folder)bluetooth/btsnoop_hci.log", logs)], style).dropLast(512))
    }
    var builder = TarBuilder()
    builder.other("sysdiagnose/", type: "5")
    builder.file("sysdiagnose/a.pklg", Array(try packetLogger()["bigEndian", default: []].prefix(400)))
    builder.file("sysdiagnose/b.pklg", Array(try packetLogger()["littleEndian", default: []].prefix(400)))
    seeds["sysdiagnose"] = builder.bytes
    var rotated = TarBuilder()
    rotated.file("btsnoop_hci.log", Array(parts.newer.prefix(900)))
    rotated.file("btsnoop_hci.log.1", Array(parts.older.prefix(900)))
    seeds["rotated"] = rotated.bytes
    return seeds
  }

  static func gzip() throws -> [String: [UInt8]] {
    let parts = try rotated()
    let log = log(try packets("heart-strap", from: 20, byteLimit: 1500))
    let tar = TarBuilder.archive([("btsnoop_hci.log", Array(log.prefix(1500)))])
    return [
      "stored": Deflate.compress(log, .gzip, level: 0), "deflated": Deflate.compress(parts.newer, .gzip),
      "members": Deflate.compress(Array(log.prefix(300)), .gzip) + Deflate.compress(Array(log.dropFirst(300)), .gzip, level: 0),
      "tar": Deflate.compress(tar, .gzip), "tar-stored": Deflate.compress(Array(tar.prefix(2600)), .gzip, level: 0),
      "snooz": Deflate.compress(try summary(version: 1).bytes, .gzip, level: 0),
      "snooz-text": Deflate.compress(try summary(version: 2).text(), .gzip, level: 0),
      "trailing-zeros": Deflate.compress(log, .gzip) + [UInt8](repeating: 0, count: 40),
      "trailing-garbage": Deflate.compress(log, .gzip) + Array("more".utf8),
      "pcapng": Deflate.compress(try pcapng()["blocks", default: []], .gzip, level: 0),
    ]
  }
}
