import Foundation
import TestSupport
import Testing

struct ExtractCheckTests {
  private let heartStrap = Repository.capture("heart-strap")
  private let scenario = Repository.root.appending(path: "scenarios/heart-strap.json5").path

  private func inFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "extract-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  /// The scenarios that the project ships are what the tool makes of its captures.
  @Test(arguments: Repository.captureNames)
  func shippedScenariosAreExtracted(name: String) throws {
    try inFolder { folder in
      let file = folder.appending(path: "made.json5")
      let result = try Tool.run(["extract", Repository.capture(name), "-o", file.path])
      #expect(result.code == 0)
      #expect(result.errors == "")
      #expect(result.output.hasPrefix("\(file.path): "))
      let shipped = try String(contentsOf: Repository.root.appending(path: "scenarios/\(name).json5"), encoding: .utf8)
      #expect(try String(contentsOf: file, encoding: .utf8) == shipped, "make scenarios/\(name).json5 again")
      let check = try Tool.run(["check", file.path, "--replay", "--against", Repository.capture(name)])
      #expect(check.code == 0)
      #expect(check.output.contains("are equal, in order"))
      #expect(check.output.contains("playable to any central"))
    }
  }

  /// A connection that is older than its capture had its MTU exchanged before: what is longer than 20 bytes is replayed whole.
  @Test func aConnectionOlderThanItsCaptureIsReplayed() throws {
    let (value, notified) = ([UInt8](repeating: 7, count: 240), [UInt8](repeating: 9, count: 200))
    var builder = CaptureBuilder()
    builder.att(.host, hex("0a0500"))
    builder.att(.controller, hex("0b") + value)
    builder.att(.controller, hex("1b0800") + notified)
    builder.att(.host, hex("120a00") + notified)
    builder.att(.controller, hex("13"))
    builder.disconnect()
    try inFolder { folder in
      let (capture, file) = (folder.appending(path: "in.btsnoop"), folder.appending(path: "made.json5").path)
      try Data(builder.bytes).write(to: capture)
      #expect(try Tool.run(["extract", capture.path, "-o", file]).code == 0)
      let text = try String(contentsOfFile: file, encoding: .utf8)
      #expect(text.contains("complete: false, mtu: 241") && text.components(separatedBy: "mtu: 241").count == 3, "\(text)")
      let check = try Tool.run(["check", file, "--replay", "--against", capture.path])
      #expect(check.code == 0 && check.output.contains("are equal, in order"), "\(check.output)")
    }
  }

  @Test func extractsIntoAFolder() throws {
    try inFolder { folder in
      let result = try Tool.run(["extract", heartStrap, Repository.capture("serial-bridge"), "-o", folder.path])
      #expect(result.code == 0)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["heart-strap.json5", "serial-bridge.json5"])
    }
  }

  @Test func extractChooses() throws {
    try inFolder { folder in
      let file = folder.appending(path: "one.json5").path
      #expect(try Tool.run(["extract", heartStrap, "-o", file, "--link", "2", "--peer", "E3:5A:11:0C:77:42", "--name", "strap"]).code == 0)
      let text = try String(contentsOfFile: file, encoding: .utf8)
      #expect(text.contains("link: 2") && !text.contains("link: 1,"))
      let none = try Tool.run(["extract", heartStrap, "-o", file, "--name", "kettle"])
      #expect(none.code == 3)
      #expect(none.errors.contains("holds no peripheral with attribute traffic that the options choose"))
    }
  }

  @Test(arguments: [
    (["extract", "x.btsnoop"], 2, "give -o FILE.json5"),
    (["extract", "nowhere.btsnoop", "-o", "x.json5"], 3, "nowhere.btsnoop: cannot be opened"),
    (["extract", "x.btsnoop", "-o", "x.json5", "--link", "0"], 2, "links are numbered from 1"),
    (["extract", "x.btsnoop", "-o", "x.json5", "--peer", "E3:5A"], 2, "an address has six octets"),
    (["check", "nowhere.json5"], 3, "nowhere.json5: cannot be read"),
    (["check", "x.json5", "--against", "y"], 2, "give --replay as well"),
    (["check", "x.json5", "--replay", "--against", "y", "--fault", "disconnect@pdu:1"], 2, "exclude each other"),
    (["check", "x.json5", "--replay", "--fault", "disconect@pdu:1"], 2, "did you mean disconnect?"),
    (["check", "x.json5", "--replay", "--fault", "powerOff@pdu:1"], 2, "impossible on the recorded central: it has no adapter"),
    (["check", "x.json5", "--replay", "--fail-on", "everything"], 2, "there are unused, substituted, unmatched, not-reached"),
    (["check", "x.json5", "--replay", "--seed", "-1"], 2, "a seed is a number"),
  ])
  func wrongUseIsNamed(arguments: [String], code: Int32, message: String) throws {
    let result = try Tool.run(arguments)
    #expect(result.code == code)
    #expect(result.errors.contains(message), "\(result.errors)")
    #expect(result.errors.hasPrefix("understudy: "))
  }

  @Test func aChangedByteIsFound() throws {
    try inFolder { folder in
      let file = folder.appending(path: "changed.json5")
      let text = try String(contentsOfFile: scenario, encoding: .utf8)
      let changed = text.replacing("read: 0x0014, answer: \"57\"", with: "read: 0x0014, answer: \"56\"", maxReplacements: 1)
      #expect(changed != text)
      try changed.write(to: file, atomically: true, encoding: .utf8)
      let result = try Tool.run(["check", file.path, "--replay", "--against", heartStrap])
      #expect(result.code == 1)
      #expect(result.output.contains("0x0014: recorded < 0b57, replayed < 0b56"), "\(result.output)")
    }
  }

  @Test func brokenScenarioIsNamedByLine() throws {
    try inFolder { folder in
      let file = folder.appending(path: "broken.json5")
      try "{\n  format: \"understudy/1\",\n  sesions: [],\n}\n".write(to: file, atomically: true, encoding: .utf8)
      let result = try Tool.run(["check", file.path])
      #expect(result.code == 1)
      #expect(result.errors.contains("broken.json5:3:3: "))
      #expect(result.errors.contains("sessions"))
    }
  }

  /// A device whose answers depend on random requests can be extracted, and one is told that another app gets no answer from it.
  @Test func whatNoRecordingCanAnswerIsTold() throws {
    var builder = CaptureBuilder()
    var random = SeededGenerator(seed: 5)
    for _ in 0..<2 {
      builder.connect()
      builder.att(.host, hex("12 0300 01") + random.bytes(16))
      builder.att(.controller, hex("13"))
      builder.att(.controller, hex("1b 0500 02") + random.bytes(16))
      builder.disconnect(reason: 0x16)
    }
    try inFolder { folder in
      let (capture, file) = (folder.appending(path: "in.btsnoop"), folder.appending(path: "made.json5").path)
      try Data(builder.bytes).write(to: capture)
      let made = try Tool.run(["extract", capture.path, "-o", file])
      #expect(made.code == 0)
      #expect(made.errors.hasPrefix("understudy: \(file): session 1, entry 1: not-replayable: what is written to 0x0003"), "\(made.errors)")
      let check = try Tool.run(["check", file, "--replay", "--against", capture.path])
      #expect(check.code == 0)
      #expect(check.output.contains("warning: session 1, entry 1: not-replayable: "), "\(check.output)")
      let json = try Tool.run(["check", file, "--json"])
      let documents = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]])
      let problems = try #require(documents.first?["problems"] as? [[String: Any]])
      #expect(problems.contains { $0["code"] as? String == "not-replayable" && $0["line"] as? Int != nil })
    }
  }

  @Test func faultsFire() throws {
    let result = try Tool.run([
      "check", scenario, "--replay", "--json", "--seed", "7", "--fault", "disconnect:0x08@after:notification:2A37#3",
    ])
    #expect(result.code == 0)
    let documents = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]])
    let verdict = try #require(documents.first?["verdict"] as? [String: Any])
    #expect(verdict["faultsFired"] as? [String] == ["disconnect:0x08@after:notification:2A37#3"])
    #expect(verdict["passed"] as? Bool == true)
    #expect(verdict["seed"] as? String == "7")
    let firings = try #require(verdict["firings"] as? [[String: Any]])
    #expect(
      firings.count == 1 && firings[0]["link"] as? Int == 1 && firings[0]["fault"] as? String == "disconnect:0x08@after:notification:2A37#3"
    )
    let lost = try Tool.run(["check", scenario, "--replay", "--log", "--fault", "drop@before:notification:2A37#2*2"])
    #expect(lost.output.components(separatedBy: "lost < 1b").count == 3)
    let log = try Tool.run(["check", scenario, "--replay", "--log", "--fault", "disconnect:0x13@before:entry:1.24"])
    #expect(log.output.contains("fault disconnect:0x13@before:entry:1.24"))
    #expect(log.output.contains("disconnected 0x13 Remote User Terminated Connection"))
    let missed = try Tool.run(["check", scenario, "--replay", "--fail-on", "not-reached", "--fault", "disconnect@pdu:5000"])
    #expect(missed.code == 1)
    #expect(missed.output.contains("fault disconnect:0x08@pdu:5000 was not reached"))
  }
}
