import CaptureFiles
import ReplayEngine
import ReplayScenarios
import ScenarioExtraction
import SessionReconstruction
import TestSupport
import Testing

/// Devices whose handles move: after a firmware update, with and without a word.
struct DatabaseHistoryTests {
  /// Little-endian, as text.
  static func word(_ number: UInt16) -> String { Hexadecimal.encode([UInt8(number & 0xFF), UInt8(number >> 8)]) }

  /// What a phone asks, and what a device answers whose heart rate service begins at 0x000a, moved by `shift`.
  static func discovery(shift: UInt16 = 0, services: Bool = true, characteristics: Bool = true) -> [(String, String)] {
    func at(_ handle: UInt16) -> String { word(handle + shift) }
    var exchanges: [(String, String)] = []
    if services {
      exchanges += [
        ("10 0100 ffff 0028", "11 06 0100 0600 0118 \(at(0x0A)) \(at(0x0D)) 0d18"), ("10 \(at(0x0E)) ffff 0028", "01 10 \(at(0x0E)) 0a"),
      ]
    }
    if characteristics {
      exchanges += [
        ("08 0100 0400 0328", "09 07 0200 20 0300 052a"), ("04 0400 0400", "05 01 0400 0229"),
        ("08 \(at(0x0A)) \(at(0x0D)) 0328", "09 07 \(at(0x0B)) 10 \(at(0x0C)) 372a"),
        ("04 \(at(0x0D)) \(at(0x0D))", "05 01 \(at(0x0D)) 0229"),
      ]
    }
    return exchanges
  }

  static func ask(_ exchanges: [(String, String)], _ builder: inout CaptureBuilder) {
    for (request, answer) in exchanges {
      builder.att(.host, hex(request))
      builder.att(.controller, hex(answer))
    }
  }

  /// Service Changed from `start` on.
  static func change(_ start: UInt16, _ builder: inout CaptureBuilder) {
    builder.att(.controller, hex("1d 0300 \(word(start)) ffff"))
    builder.att(.host, hex("1e"))
  }

  static func use(shift: UInt16 = 0, _ value: String, _ builder: inout CaptureBuilder) {
    ask([("12 \(word(0x0D + shift)) 0100", "13")], &builder)
    builder.att(.controller, hex("1b \(word(0x0C + shift)) \(value)"))
  }

  static func scenario(_ builder: CaptureBuilder, problems: [ScenarioProblem.Code] = []) throws -> Scenario {
    let recording = try CaptureRecording(bytes: builder.bytes, file: "a")
    let extractor = ScenarioExtractor(recording)
    let scenario = extractor.scenario(of: try #require(extractor.subjects.first))
    let replay = ScenarioReplay(scenario)
    #expect(replay.differences == [])
    #expect(CaptureComparison(replay.trafficBySession, of: scenario, with: recording).differences == [])
    #expect(scenario.problems().map(\.code) == problems)
    #expect(scenario.playable == .any || scenario.databases.contains { $0.contains { $0.kind == .unknown } })
    let again = try Scenario(reading: scenario.document())
    #expect(again == scenario)
    return scenario
  }

  static func handles(_ database: [Attribute]) -> [UInt16] { database.map(\.handle.rawValue) }

  @Test func serviceChangedBeginsAnotherDatabaseWithinALink() throws {
    var builder = CaptureBuilder()
    builder.connect()
    Self.ask(Self.discovery(), &builder)
    Self.use("0001", &builder)
    Self.change(0x0A, &builder)
    // What lies below the range is not asked for again.
    Self.ask(Self.discovery(shift: 3, characteristics: false), &builder)
    Self.ask(Array(Self.discovery(shift: 3, services: false).suffix(2)), &builder)
    Self.use(shift: 3, "0002", &builder)
    builder.disconnect()
    let scenario = try Self.scenario(builder)
    #expect(scenario.databases.map(Self.handles) == [[1, 2, 4, 0x0A, 0x0B, 0x0D], [1, 2, 4, 0x0D, 0x0E, 0x10]])
    #expect(scenario.sessions.map(\.database) == [1])
    let switching = scenario.sessions[0].entries.filter { $0.database != nil }
    #expect(switching.map(\.database) == [2])
    #expect(switching.map(\.action) == [.indicate(AttributeHandle(3), hex("0a00ffff"))])
  }

  @Test(arguments: [0, 1, 2])
  func theSameAgainIsNoOtherDatabase(asked: Int) throws {
    var builder = CaptureBuilder()
    builder.connect()
    Self.ask(Self.discovery(), &builder)
    Self.change(0x01, &builder)
    // Nothing, the services, or all of it is asked for again.
    if asked > 0 { Self.ask(Self.discovery(characteristics: asked == 2), &builder) }
    Self.use("0001", &builder)
    builder.disconnect()
    let scenario = try Self.scenario(builder)
    #expect(scenario.databases.map(Self.handles) == [[1, 2, 4, 0x0A, 0x0B, 0x0D]])
    #expect(scenario.sessions[0].entries.allSatisfy { $0.database == nil })
  }

  @Test func movedHandlesWithoutAWordAreAnotherDatabase() throws {
    var builder = CaptureBuilder()
    for shift in [0, 3, 3, 0] as [UInt16] {
      builder.connect()
      Self.ask(Self.discovery(shift: shift), &builder)
      Self.use(shift: shift, "0001", &builder)
      builder.disconnect()
    }
    // A phone that remembers asks nothing.
    builder.connect()
    Self.use("0002", &builder)
    builder.disconnect()
    let scenario = try Self.scenario(builder)
    #expect(
      scenario.databases.map(Self.handles) == [[1, 2, 4, 0x0A, 0x0B, 0x0D], [1, 2, 4, 0x0D, 0x0E, 0x10]])
    // The last but one is the first again, and the phone that asks nothing meets that.
    #expect(scenario.sessions.map(\.database) == [1, 2, 2, 1, 1])
  }

  @Test func anotherHashIsAnotherDatabase() throws {
    func hash(_ byte: UInt8) -> [(String, String)] {
      [("08 0100 ffff 2a2b", "09 12 0600" + String(repeating: Hexadecimal.encode([byte]), count: 16))]
    }
    var builder = CaptureBuilder()
    for byte in [1, 1, 2] as [UInt8] {
      builder.connect()
      Self.ask(hash(byte), &builder)
      // Only the first is asked all; nothing but the hash tells that the last is another.
      if builder.records < 5 { Self.ask(Self.discovery(), &builder) }
      builder.disconnect()
    }
    // Of the other nothing is known but its hash, not even the service of that.
    let scenario = try Self.scenario(builder, problems: [.outsideServices])
    #expect(scenario.sessions.map(\.database) == [1, 1, 2])
  }

  /// One link told the services, the next the rest.
  @Test func aDiscoveryThatWasCutGoesOnInTheNextLink() throws {
    var builder = CaptureBuilder()
    builder.connect()
    Self.ask(Self.discovery(characteristics: false), &builder)
    builder.disconnect(reason: 0x08)
    builder.connect()
    Self.ask(Self.discovery(services: false), &builder)
    Self.use("0001", &builder)
    builder.disconnect()
    let scenario = try Self.scenario(builder)
    #expect(scenario.databases.map(Self.handles) == [[1, 2, 4, 0x0A, 0x0B, 0x0D]])
  }

  @Test func changesWithoutEndAreBounded() throws {
    var builder = CaptureBuilder()
    builder.connect()
    for round in 0..<300 as Range<UInt16> {
      Self.ask(Self.discovery(shift: round % 2 * 3), &builder)
      Self.change(1, &builder)
    }
    let capture = try Reconstruction(bytes: builder.bytes, file: "a")
    #expect(capture.links[0].earlierDatabases.count <= 64)
    #expect(capture.links[0].earlierDatabases.count > 60)
  }
}
