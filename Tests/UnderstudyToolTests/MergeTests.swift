import CaptureFiles
import Foundation
import ReplayScenarios
import TestSupport
import Testing

/// `understudy merge`: captures into a capture or a scenario, scenarios into one.
struct MergeTests {
  /// A capture in two files, cut before a record, and the whole in a third.
  private static func inParts(_ name: String, at share: Int, _ body: (URL, [String], String) throws -> Void) throws {
    let bytes = Array(try Data(contentsOf: URL(filePath: Repository.capture(name))))
    var offsets: [Int] = []
    var reader = try CaptureReader(bytes: bytes, file: name)
    try reader.forEachRecord { offsets.append($0.byteOffset) }
    let place = offsets[offsets.count * share / 100]
    try ConvertTests.inFolder { folder in
      let parts = ["b-first", "a-second"].map { folder.appending(path: "\($0).btsnoop").path }
      try Data(bytes[..<place]).write(to: URL(filePath: parts[0]))
      try Data(bytes[..<16] + bytes[place...]).write(to: URL(filePath: parts[1]))
      try body(folder, parts, Repository.capture(name))
    }
  }

  private static func withoutOrigin(_ path: String) throws -> Scenario {
    var scenario = try Scenario.read(file: path)
    scenario.origin = nil
    return scenario
  }

  @Test(arguments: Repository.captureNames, [3, 50, 97])
  func splitAndMergedItIsTheWhole(name: String, share: Int) throws {
    try Self.inParts(name, at: share) { folder, parts, whole in
      let (log, scenario, expected) = (
        folder.appending(path: "whole.btsnoop").path, folder.appending(path: "m.json5").path, folder.appending(path: "w.json5").path
      )
      // The order of the operands says nothing; times do.
      #expect(try Tool.run(["merge", parts[1], parts[0], "-o", log]).code == 0)
      let (made, recorded) = (try Data(contentsOf: URL(filePath: log)), try Data(contentsOf: URL(filePath: whole)))
      #expect(made == recorded)
      #expect(try Tool.run(["merge", parts[1], parts[0], "-o", scenario]).code == 0)
      #expect(try Tool.run(["extract", whole, "-o", expected]).code == 0)
      let (merged, extracted) = (try Self.withoutOrigin(scenario), try Self.withoutOrigin(expected))
      #expect(merged == extracted)
      #expect(try Scenario.read(file: scenario).origin?.file.contains(" + ") == true)
    }
  }

  /// The same log in two formats is one log.
  @Test(arguments: Repository.captureNames, [["pcapng", "pklg"], ["btsnoop", "pcapng"], ["pklg", "btsnoop"]])
  func formatsOfOneLog(name: String, endings: [String]) throws {
    try ConvertTests.inFolder { folder in
      let whole = Repository.capture(name)
      let parts = endings.map { folder.appending(path: "log.\($0)").path }
      for part in parts { #expect(try Tool.run(["convert", whole, "-o", part]).code == 0) }
      let (merged, expected) = (folder.appending(path: "m.json5").path, folder.appending(path: "w.json5").path)
      let result = try Tool.run(["merge"] + parts + ["-o", merged])
      #expect((result.code, result.errors) == (0, ""))
      #expect(try Tool.run(["extract", whole, "-o", expected]).code == 0)
      let (one, two) = (try Self.withoutOrigin(merged), try Self.withoutOrigin(expected))
      #expect(one == two)
    }
  }

  /// Scenarios that have rules and no recording.
  @Test func scenariosWithoutEntries() throws {
    try ConvertTests.inFolder { folder in
      let (echo, output) = (Repository.root.appending(path: "scenarios/echo-device.json5").path, folder.appending(path: "out.json5").path)
      for arguments in [["merge", echo, echo], ["trim", echo], ["redact", echo]] {
        let result = try Tool.run(arguments + ["-o", output])
        #expect((result.code, result.errors) == (0, ""))
        #expect(try Scenario.read(file: output).rules.count == 3)
        // A scenario is not written under a capture's name.
        let log = folder.appending(path: "out.pcapng").path
        #expect(try Tool.run(arguments + ["-o", log]).code == 2)
        #expect(!FileManager.default.fileExists(atPath: log))
      }
      // Nothing is compared with nothing.
      let against = try Tool.run(["check", echo, "--replay", "--against", Repository.capture("heart-strap")])
      #expect(against.code == 1 && against.output.contains("has no session"))
    }
  }

  /// Two captures of one device, a session each; also when one is given twice, and when one is still a capture.
  @Test func scenariosOfOneDevice() throws {
    try Self.inParts("heart-strap", at: 50) { folder, _, whole in
      let first = folder.appending(path: "1.json5").path
      let second = folder.appending(path: "2.json5").path
      let output = folder.appending(path: "out.json5").path
      for (link, path) in [("1", first), ("2", second)] { #expect(try Tool.run(["extract", whole, "--link", link, "-o", path]).code == 0) }
      let all = try Scenario.read(file: Repository.root.appending(path: "scenarios/heart-strap.json5").path)
      for operands in [[first, second], [second, first], [second, first, second], [second, whole]] {
        let result = try Tool.run(["merge"] + operands + ["-o", output])
        #expect((result.code, result.errors) == (0, ""))
        let merged = try Scenario.read(file: output)
        #expect(merged.sessions == all.sessions)
        #expect(merged.database.map(\.kind) == all.database.map(\.kind))
        #expect(merged.device == all.device)
        #expect(merged.origin == all.origin)
        #expect(try Tool.run(["check", output, "--replay"]).code == 0)
      }
    }
  }

  private static func scenario(
    _ address: UInt64, _ uuid: UInt16, file: String, time: String, kind: BluetoothAddress.Kind = .publicDevice, note: String? = nil
  ) -> Scenario {
    let handle = AttributeHandle(3)
    return Scenario(
      origin: Origin(file: file, time: time), note: note, device: Device(address: BluetoothAddress(address, kind: kind)),
      database: [
        Attribute(
          handle: AttributeHandle(1), kind: .service(uuid: BluetoothUUID(0x1800 as UInt16), primary: true, end: AttributeHandle(9))),
        Attribute(handle: AttributeHandle(2), kind: .characteristic(uuid: BluetoothUUID(uuid), properties: 2, value: handle)),
      ],
      sessions: [
        Session(
          link: 1, time: time, entries: [TimelineEntry(at: .zero, action: .read(handle), answer: .value([UInt8(truncatingIfNeeded: uuid)]))]
        )
      ])
  }

  @Test func whatContradictsIsNamedAndKeptApart() throws {
    var merge = ScenarioMerge(Self.scenario(0x1122, 0x2A00, file: "a", time: "2026-02-01T00:00:00Z", note: "one"), file: "a.json5")
    try merge.add(Self.scenario(0x1122, 0x2A01, file: "b", time: "2026-01-01T00:00:00Z", note: "two"), file: "b.json5")
    try merge.add(Self.scenario(0x1122, 0x2A00, file: "c", time: "2026-03-01T00:00:00Z"), file: "c.json5")
    #expect(
      merge.conflicts == [
        "handle 0x0002 is characteristic 2A00 with its value at 0x0003 in a.json5 and characteristic 2A01 with its value at 0x0003 in b.json5: "
          + "the sessions of b.json5 have a database of their own"
      ])
    #expect(merge.scenario.sessions.map(\.file) == ["b", "a", "c"])
    #expect(merge.scenario.sessions.map(\.database) == [2, 1, 1])
    #expect(merge.scenario.laterDatabases.count == 1)
    #expect(merge.scenario.note == "one\ntwo")
    #expect(merge.scenario.origin == Origin(file: "a + b + c", time: "2026-01-01T00:00:00Z"))
    #expect(merge.scenario.problems() == [])
    #expect(throws: ScenarioMergeError.self) {
      try merge.add(Self.scenario(0x3344, 0x2A00, file: "d", time: "2026-03-01T00:00:00Z"), file: "d.json5")
    }
    // A resolvable address may be the same device's.
    try merge.add(Self.scenario(0x4000_0000_3344, 0x2A00, file: "e", time: "2026-04-01T00:00:00Z", kind: .random), file: "e.json5")
    #expect(merge.scenario.device.address?.value == 0x1122 && merge.scenario.device.addresses.map(\.value) == [0x4000_0000_3344])
  }

  @Test func refusals() throws {
    try ConvertTests.inFolder { folder in
      let (one, other) = (folder.appending(path: "1.json5").path, folder.appending(path: "2.json5").path)
      try Self.scenario(0x1122, 0x2A00, file: "a", time: "2026-02-01T00:00:00Z").write(to: one)
      try Self.scenario(0x3344, 0x2A00, file: "b", time: "2026-02-01T00:00:00Z").write(to: other)
      let output = folder.appending(path: "out.json5").path
      let wrong = try Tool.run(["merge", one, other, "-o", output])
      #expect(wrong.code == 3)
      #expect(wrong.errors.contains("2.json5: is of 00:00:00:00:33:44, not of 00:00:00:00:11:22 as "))
      #expect(
        try Tool.run(["merge", one, Repository.capture("heart-strap"), "-o", output]).errors.contains("extract the one that is meant")
          == false)
      let impossible = try Tool.run(["merge", one, "-o", folder.appending(path: "out.pcapng").path])
      #expect(impossible.code == 2 && impossible.errors.contains("of which no capture can be made"))
      #expect(try Tool.run(["merge", one]).errors.contains("merge needs to know where to write"))
      #expect(try Tool.run(["merge", folder.appending(path: "none.json5").path, "-o", output]).code == 3)
      #expect(try Tool.run(["merge", folder.appending(path: "none.log").path, "-o", output]).code == 3)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["1.json5", "2.json5"])
    }
  }
}
