import CaptureFiles
import Foundation
import TestSupport
import Testing

/// `understudy convert`, and the other commands on what it writes.
struct ConvertTests {
  static func inFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "understudy-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  @Test(arguments: Repository.captureNames)
  func everyFormatGivesTheSameListing(name: String) throws {
    let listing = try Tool.run(["inspect", "--att", Repository.capture(name)]).output
    #expect(listing.split(separator: "\n").count > 50)
    try Self.inFolder { folder in
      for ending in ["btsnoop", "log", "pcapng", "pklg"] {
        let path = folder.appending(path: "\(name).\(ending)").path
        let result = try Tool.run(["convert", Repository.capture(name), "-o", path])
        #expect((result.code, result.errors) == (0, ""))
        #expect(result.output.hasSuffix(" records\n"))
        #expect(try Tool.run(["inspect", "--att", path]).output == listing)
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 4)
    }
  }

  @Test func whatAFormatHasNoPlaceForIsTold() throws {
    var builder = CaptureBuilder(datalink: .monitor)
    builder.connect(adapter: 1)
    builder.packet(hex("4000 1b00 1700 0400"), .aclData, .host, adapter: 1, originalLength: 31)
    try Self.inFolder { folder in
      let input = folder.appending(path: "in.log")
      try Data(builder.bytes).write(to: input)
      let result = try Tool.run(["convert", input.path, "-o", folder.appending(path: "out.pklg").path])
      #expect(result.code == 0)
      #expect(result.errors.contains("out.pklg: lacks 1 lengths of cut packets\n"))
      #expect(result.errors.contains("out.pklg: lacks 1 controller numbers, as it knows one controller only\n"))
      let whole = try Tool.run(["convert", input.path, "-o", folder.appending(path: "out.btsnoop").path])
      #expect((whole.code, whole.errors) == (0, ""))
      #expect(try Data(contentsOf: folder.appending(path: "out.btsnoop")) == Data(builder.bytes))
    }
  }

  @Test func sniffedPacketsStayAsTheyWere() throws {
    var builder = PcapBuilder(linkType: 256)
    let frame = hex("27 d5 80 00 d6be898e 1300 d6be898e 4009 5544332211c0 020106 665544")
    builder.record(frame, time: CaptureTime(seconds: 1_700_000_000, nanoseconds: 1000))
    try Self.inFolder { folder in
      let input = folder.appending(path: "in.pcap")
      try Data(builder.bytes).write(to: input)
      let output = folder.appending(path: "out.pcapng").path
      #expect(try Tool.run(["convert", input.path, "-o", output]).code == 0)
      var reader = try CaptureReader(path: output)
      var frames: [[UInt8]] = []
      try reader.forEachRecord { frames.append($0.frame.array) }
      #expect(frames == [frame])
      let refused = try Tool.run(["convert", input.path, "-o", folder.appending(path: "out.pklg").path])
      #expect(refused.errors.contains("lacks 1 records, for which it has no place"))
    }
  }

  /// Where nothing has a place in the format, nothing is written, and what stood there stays.
  @Test(arguments: ["btsnoop", "pklg"]) func aConversionOfNothingWritesNothing(ending: String) throws {
    var builder = PcapBuilder(linkType: 256)
    builder.record(
      hex("27 d5 80 00 d6be898e 1300 d6be898e 4009 5544332211c0 020106 665544"),
      time: CaptureTime(seconds: 1_700_000_000, nanoseconds: 1000))
    try Self.inFolder { folder in
      let (input, output) = (folder.appending(path: "in.pcap"), folder.appending(path: "out.\(ending)"))
      try Data(builder.bytes).write(to: input)
      try Data("kept".utf8).write(to: output)
      let result = try Tool.run(["convert", input.path, "-o", output.path])
      #expect((result.code, result.output) == (3, ""))
      #expect(result.errors.contains("out.\(ending): is not written: nothing in "))
      #expect(result.errors.hasSuffix("give -o FILE.pcapng, which also takes what sniffers heard\n"))
      #expect(try Data(contentsOf: output) == Data("kept".utf8))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
    }
  }

  /// What USB needs for itself is no record of another format, and is not counted as one.
  @Test func onlyWhatIsWrittenIsCounted() throws {
    let sample = try #require(Container.samples.first { $0.name.contains("220") || $0.name.contains("usb") })
    try Self.inFolder { folder in
      let input = folder.appending(path: "in.pcap")
      try Data(sample.make(Container.packets(of: Repository.capture("heart-strap")))).write(to: input)
      let output = folder.appending(path: "out.btsnoop").path
      let result = try Tool.run(["convert", input.path, "-o", output])
      var reader = try CaptureReader(path: output)
      try reader.forEachRecord { _ in }
      #expect(result.output.hasSuffix("out.btsnoop: \(reader.recordCount) records\n"))
    }
  }

  /// PacketLogger's texts reach pcapng as comments, be there many, long or none behind the last packet, and the file can be read.
  @Test func longAndLastTextsReachPcapng() throws {
    var builder = PacketLoggerBuilder(.bigEndian)
    let time = CaptureTime(seconds: 1_700_000_000, nanoseconds: 0)
    builder.record(hex("0e0401030c00"), type: 1, time: time)
    for number in 0..<90 { builder.record(Array("text \(number) ".utf8) + [UInt8](repeating: 0x6E, count: 60_000), type: 0xFC, time: time) }
    builder.record(hex("0e0401030c00"), type: 1, time: time)
    builder.record(Array("good bye".utf8), type: 0xFC, time: time)
    try Self.inFolder { folder in
      let input = folder.appending(path: "in.pklg")
      try Data(builder.bytes).write(to: input)
      let output = folder.appending(path: "out.pcapng").path
      let result = try Tool.run(["convert", input.path, "-o", output])
      #expect((result.code, result.errors) == (0, ""))
      var reader = try CaptureReader(path: output)
      try reader.forEachRecord { _ in }
      #expect(reader.recordCount == 2)
      let comments = reader.findings.findings.filter { $0.code == .comment }.map(\.message)
      #expect(reader.findings.findings.count == 91 && comments.count == 91)
      #expect(comments.first?.hasPrefix("comment: text 0 n") == true && comments.last == "comment: good bye")
    }
  }

  /// Controllers keep their numbers in pcapng, whichever of them has the first record.
  @Test(arguments: [[1], [3, 0], [2, 2, 5, 1]] as [[UInt16]]) func controllersKeepTheirNumbers(adapters: [UInt16]) throws {
    var builder = CaptureBuilder(datalink: .monitor)
    for adapter in adapters { builder.command(0x0C03, adapter: adapter) }
    try Self.inFolder { folder in
      let input = folder.appending(path: "in.btsnoop")
      try Data(builder.bytes).write(to: input)
      let output = folder.appending(path: "out.pcapng").path
      #expect(try Tool.run(["convert", input.path, "-o", output]).code == 0)
      var (reader, found) = (try CaptureReader(path: output), [UInt16]())
      try reader.forEachRecord { found.append($0.adapter) }
      #expect(found == adapters)
    }
  }

  /// Monitor records stay so, whatever stands before the interface that brings them.
  @Test func aMonitorInterfaceBehindOtherBlocksIsSeen() throws {
    var builder = PcapngBuilder()
    builder.section()
    builder.block(4, [0, 0, 0, 0])
    builder.interface(linkType: 254)
    let time = CaptureTime(seconds: 1_700_000_000, nanoseconds: 0)
    builder.packet(hex("0001 0000") + [UInt8](repeating: 0, count: 16), time: time)
    builder.packet(hex("0001 0003 0e0401030c00"), time: time)
    try Self.inFolder { folder in
      let input = folder.appending(path: "in.pcapng")
      try Data(builder.bytes).write(to: input)
      let output = folder.appending(path: "out.btsnoop").path
      let result = try Tool.run(["convert", input.path, "-o", output])
      #expect((result.code, result.errors) == (0, ""))
      #expect(try CaptureReader(path: output).format == .btsnoop(.monitor))
    }
  }

  /// A format of microseconds cannot express nanoseconds, which is told.
  @Test(arguments: [("btsnoop", 1), ("pklg", 1), ("pcapng", 0)]) func lostNanosecondsAreTold(ending: String, lost: Int) throws {
    var builder = PcapBuilder(linkType: 187, hasNanoseconds: true)
    builder.record(hex("01 030c00"), time: CaptureTime(seconds: 1_700_000_000, nanoseconds: 5000))
    builder.record(hex("01 030c00"), time: CaptureTime(seconds: 1_700_000_000, nanoseconds: 5001))
    try Self.inFolder { folder in
      let input = folder.appending(path: "in.pcap")
      try Data(builder.bytes).write(to: input)
      let result = try Tool.run(["convert", input.path, "-o", folder.appending(path: "out.\(ending)").path])
      #expect(result.code == 0)
      #expect(result.errors.contains("lacks 1 times, which it cannot express") == (lost > 0))
    }
  }

  @Test(
    arguments: [
      (["convert", "x"], "convert needs to know where to write; give -o FILE.btsnoop, FILE.pcapng or FILE.pklg"),
      (["convert", "x", "-o", "y.txt"], "y.txt: the ending says the format; end it in .btsnoop, .log, .pcapng or .pklg"),
      (
        ["convert", "x", "-o", "y.pklg", "--user-dlt", "5=le-ll"],
        "--user-dlt 5=le-ll: give a number from 147 to 162 and what it holds, as 147=le-ll"
      ),
      (
        ["inspect", "x", "--irk", "00ff"], "--irk: an identity resolving key has 32 hexadecimal digits, as ec0234a357c8ad05341010a60a397d9b"
      ),
      (["inspect", "x", "--user-dlt", "150=foo"], "--user-dlt 150=foo: there are h4, "),
    ] as [([String], String)])
  func wrongUse(arguments: [String], message: String) throws {
    let result = try Tool.run(arguments)
    #expect(result.code == 2)
    #expect(result.errors.hasPrefix("understudy: \(message)"))
  }

  @Test func aFailureLeavesWhatWasThere() throws {
    try Self.inFolder { folder in
      let output = folder.appending(path: "out.pcapng")
      try Data("mine".utf8).write(to: output)
      #expect(try Tool.run(["convert", folder.appending(path: "none").path, "-o", output.path]).code == 3)
      #expect(try Tool.run(["convert", "-", "-o", output.path], input: BtsnoopWriter().bytes).code == 3)
      #expect(try Data(contentsOf: output) == Data("mine".utf8))
      #expect(try Tool.run(["convert", Repository.capture("heart-strap"), "-o", "/nonexistent/out.pcapng"]).code == 4)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["out.pcapng"])
    }
  }
}

/// Another program that reads captures.
enum OtherReader {
  /// Frame, direction and PDU of each ATT packet.
  static func rows(_ file: String) throws -> [[String]] {
    let fields = [
      "frame.number", "frame.time_epoch", "hci_h4.direction", "packetlogger.type", "bthci_acl.chandle", "btatt.opcode", "btatt.handle",
      "btatt.value",
    ]
    return try TShark.rows(file, filter: "btatt", fields).map { row in
      var fields = row
      // PacketLogger's types 2 and 3 are the directions.
      let way = fields.remove(at: 3)
      if fields[2].isEmpty { fields[2] = way == "0x02" ? "0x00" : way == "0x03" ? "0x01" : way }
      return fields
    }
  }
}

/// What another program makes of what is written.
@Suite(.enabled(if: TShark.path != nil, "tshark is not installed"))
struct OtherReaderTests {
  @Test(arguments: Repository.captureNames)
  func itOpensAllAndSeesTheSame(name: String) throws {
    let rows = try OtherReader.rows(Repository.capture(name))
    #expect(rows.count > 50)
    #expect(Set(rows.map { $0[2] }) == ["0x00", "0x01"])
    try ConvertTests.inFolder { folder throws in
      for ending in ["btsnoop", "pcapng", "pklg"] {
        let path = folder.appending(path: "\(name).\(ending)").path
        #expect(try Tool.run(["convert", Repository.capture(name), "-o", path]).code == 0)
        #expect(try OtherReader.rows(path) == rows)
      }
    }
  }
}
