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

  @Test(
    arguments: [
      (["convert", "x"], "convert needs to know where to write; give -o FILE.btsnoop, FILE.pcapng or FILE.pklg"),
      (["convert", "x", "-o", "y.txt"], "y.txt: the ending says the format; end it in .btsnoop, .log, .pcapng or .pklg"),
      (
        ["convert", "x", "-o", "y.pklg", "--user-dlt", "5=le-ll"],
        "--user-dlt 5=le-ll: give a number from 147 to 162 and what it holds, as 147=le-ll"
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
  static let path = ["/usr/bin/tshark", "/usr/local/bin/tshark", "/opt/homebrew/bin/tshark"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// Frame, direction and PDU of each ATT packet.
  static func rows(_ file: String) throws -> [[String]] {
    let process = Process()
    process.executableURL = URL(filePath: try #require(path))
    process.arguments =
      ["-r", file, "-Y", "btatt", "-T", "fields"]
      + [
        "frame.number", "frame.time_epoch", "hci_h4.direction", "packetlogger.type", "bthci_acl.chandle", "btatt.opcode", "btatt.handle",
        "btatt.value",
      ].flatMap { ["-e", $0] }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return text.split(separator: "\n").map { line in
      var fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      // PacketLogger's types 2 and 3 are the directions.
      let way = fields.remove(at: 3)
      if fields[2].isEmpty { fields[2] = way == "0x02" ? "0x00" : way == "0x03" ? "0x01" : way }
      return fields
    }
  }
}

/// What another program makes of what is written.
@Suite(.enabled(if: OtherReader.path != nil, "tshark is not installed"))
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
