import CaptureFiles
import Foundation
import TestSupport
import Testing

@testable import understudy

/// Folders, pipes, archives, time zones and long files as input.
struct CaptureInputTests {
  static func record(_ count: Int) -> [UInt8] {
    var builder = CaptureBuilder()
    for _ in 0..<count { builder.command(0x0C03) }
    return builder.bytes
  }

  @Test func foldersAreGoneThroughByName() throws {
    try ConvertTests.inFolder { folder in
      try FileManager.default.createDirectory(at: folder.appending(path: "sub"), withIntermediateDirectories: true)
      for (name, count) in [("b.btsnoop", 2), ("a.log", 1), ("sub/c.log", 3), ("a.log.last", 1), (".hidden", 9)] {
        try Data(Self.record(count)).write(to: folder.appending(path: name))
      }
      try Data("read me".utf8).write(to: folder.appending(path: "README"))
      let result = try Tool.run(["inspect", folder.path, "--json"])
      #expect(result.code == 0)
      #expect(result.errors == "understudy: 1 file in the folder is no capture and was passed over\n")
      let list = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]])
      #expect(list.compactMap { ($0["file"] as? String)?.split(separator: "/").last.map(String.init) } == ["a.log", "b.btsnoop", "c.log"])
      // The older part of a log is read with it; here both hold the same.
      #expect(list.compactMap { $0["records"] as? Int } == [1, 2, 3])
    }
  }

  /// Links lead to files and folders; those inside a folder that lead to folders may go in circles, and a pipe may never be written to.
  @Test(.timeLimit(.minutes(1))) func linksAndPipesDoNotHoldAFolderUp() throws {
    try ConvertTests.inFolder { folder in
      let inner = folder.appending(path: "captures")
      try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
      try Data(Self.record(2)).write(to: inner.appending(path: "a.btsnoop"))
      try FileManager.default.createSymbolicLink(
        at: inner.appending(path: "b.btsnoop"), withDestinationURL: inner.appending(path: "a.btsnoop"))
      try FileManager.default.createSymbolicLink(at: inner.appending(path: "circle"), withDestinationURL: folder)
      #expect(mkfifo(inner.appending(path: "pipe.btsnoop").path, 0o600) == 0)
      let link = folder.appending(path: "link")
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: inner)
      for path in [inner.path, link.path, link.path + "/"] {
        let result = try Tool.run(["inspect", path])
        #expect((result.code, result.errors) == (0, ""))
        #expect(result.output.components(separatedBy: "2 records").count == 3)
      }
    }
  }

  @Test func aFolderWithoutCapturesIsNoInput() throws {
    try ConvertTests.inFolder { folder in
      try Data("read me".utf8).write(to: folder.appending(path: "README"))
      let result = try Tool.run(["inspect", folder.path])
      #expect(result.code == 3)
      #expect(result.errors.hasSuffix("understudy: there is no capture in what was given\n"))
    }
  }

  @Test func damagedFilesOfAFolderAreTold() throws {
    try ConvertTests.inFolder { folder in
      try Data(Self.record(2).prefix(12)).write(to: folder.appending(path: "cut.log"))
      try Data(Self.record(2)).write(to: folder.appending(path: "good.log"))
      let result = try Tool.run(["inspect", folder.path])
      #expect(result.code == 3)
      #expect(result.errors.contains("cut.log@12: is cut inside the btsnoop header"))
      #expect(result.output.contains("good.log ==\nbtsnoop, datalink 1002, 2 records"))
    }
  }

  /// Times are UTC, wherever the reader is: every reader says the same in every zone.
  @Test func timeZonesChangeNothing() throws {
    let packets = try Container.packets(of: Repository.capture("heart-strap"))
    try ConvertTests.inFolder { folder in
      let captures = folder.appending(path: "captures")
      try FileManager.default.createDirectory(at: captures, withIntermediateDirectories: true)
      for (index, sample) in Container.samples.enumerated() {
        try Data(sample.make(packets)).write(to: captures.appending(path: "capture-\(index)"))
      }
      var outputs: Set<String> = []
      for zone in ["UTC", "Asia/Tokyo", "America/St_Johns", "Pacific/Kiritimati"] {
        let scenarios = folder.appending(path: "scenarios")
        let inspected = try Tool.run(["inspect", "--json", captures.path], environment: ["TZ": zone])
        let extracted = try Tool.run(["extract", captures.path, "-o", scenarios.path + "/"], environment: ["TZ": zone])
        #expect((inspected.code, extracted.code) == (0, 0))
        let names = try FileManager.default.contentsOfDirectory(atPath: scenarios.path).sorted()
        #expect(names.count == Container.samples.count)
        let texts = try names.map { try String(contentsOf: scenarios.appending(path: $0), encoding: .utf8) }
        outputs.insert(([inspected.output] + texts).joined())
      }
      #expect(outputs.count == 1)
    }
  }

  /// A stream of a gigabyte is read with a bounded address space.
  @Test func aGigabyteTakesNoMoreMemory() throws {
    let record = [UInt8](repeating: 0, count: 60_000)
    var writer = BtsnoopWriter()
    let header = writer.takeBytes()
    for _ in 0..<16 {
      writer.append(
        [0xDC, 0x0E, 0x60, 0xEA] + record, type: .aclData, direction: .controllerToHost,
        time: CaptureTime(microseconds: 1_700_000_000_000_000))
    }
    let chunk = Data(writer.takeBytes())
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "ulimit -v 700000; exec \"$0\" inspect -", try Tool.location().path]
    let (input, output) = (Pipe(), Pipe())
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data(header))
    for _ in 0..<1100 { try input.fileHandleForWriting.write(contentsOf: chunk) }
    try input.fileHandleForWriting.close()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(text.hasPrefix("btsnoop, datalink 1002, 17600 records"))
  }

  @Test func progressWaitsASecondAndTellsShareAndRate() {
    final class Clock { var now = ContinuousClock.now }
    let clock = Clock()
    let console = Console(isTerminal: false)
    let progress = ReadingProgress("a\u{1B}.log", byteCount: 200_000_000, console) { clock.now }
    #expect(progress.text(50_000_000) == nil)
    clock.now = clock.now.advanced(by: .milliseconds(1000))
    #expect(progress.text(50_000_000) == "a\\u{1b}.log: 25 %, 50 MB read, 50 MB/s")
    clock.now = clock.now.advanced(by: .milliseconds(100))
    #expect(progress.text(60_000_000) == nil)
    clock.now = clock.now.advanced(by: .milliseconds(900))
    #expect(progress.text(300_000_000) == "a\\u{1b}.log: 100 %, 300 MB read, 150 MB/s")
  }
}
