import ReplayScenarios
import Testing

/// What `check` finds in a scenario that can be read.
@Suite struct ProblemsTests {
  private static func problems(_ text: String) throws -> [ScenarioProblem] {
    try ScenarioDocument(reading: [UInt8](("{ format: 'understudy/1',\n" + text + "\n}").utf8), file: "f").problems()
  }

  /// One line of a document, and the line, code and severity of what is found; `nil` where nothing is.
  struct Case: Sendable, CustomTestStringConvertible {
    var text: String
    var expected: [String]
    init(_ text: String, _ expected: String...) { (self.text, self.expected) = (text, expected) }
    var testDescription: String { text }
  }

  private static let services = """
    database: [ { handle: 1, service: '1800', end: 9 }, { handle: 2, characteristic: '2A00', value: 3, properties: ['read'] },
    { handle: 4, descriptor: '2902' } ],
    """

  @Test(arguments: [
    Case("device: { advertising: { data: '', interval: 0 } }", "2 negativeTime error"),
    Case("origin: { file: '', time: 'yesterday' }", "1 invalidText warning"),
    Case("database: [ { handle: 1, service: '1800', end: 5 },\n{ handle: 4, service: '1801', end: 6 } ]", "3 overlappingServices error"),
    Case("database: [ { handle: 1, service: '1800', end: 5 },\n{ handle: 1, descriptor: '2902' } ]", "3 duplicateHandle error"),
    Case(
      "database: [ { handle: 1, service: '1800', end: 5 },\n{ handle: 2, characteristic: '2A00', value: 6, properties: [] } ]",
      "3 valueOutsideService error"),
    Case("database: [ { handle: 1, service: '1800', end: 5 },\n\n{ handle: 9, unknown: true } ]", "4 outsideServices warning"),
  ])
  func databases(_ wrong: Case) throws {
    #expect(try Self.problems(wrong.text).map { "\($0.line ?? 0) \($0.code) \($0.severity)" } == wrong.expected)
  }

  // The entries stand in line 4 and after.
  @Test(arguments: [
    Case("{ at: 1, read: 3, answer: '00' }"),
    Case("{ at: 1, read: 3, error: 2 }, { at: 2, write: 4, value: '0100', answer: 'ok' }"),
    Case("{ at: 2, read: 3 },\n{ at: 1, read: 3 }", "5 timeOrder warning"),
    Case("{ at: 1, read: 7 },\n{ at: 2, read: 7 }", "4 unknownHandle warning"),
    Case("{ at: 1, read: 7, error: 1 }"),
    Case("{ at: 1, write: 3, value: '', answer: 'ok' }", "4 contradictedProperties warning"),
    Case("{ at: 1, notify: 3, value: '', after: 'connection' }", "4 contradictedProperties warning"),
    Case("{ at: 1, command: 3, value: '' }"),
    Case("{ at: 1, by: 'peripheral', read: 3, answer: '', after: 'connection' }"),
    Case("{ at: 1, read: 3, latency: -1 }", "4 negativeTime error"),
    Case("{ at: 1, command: 3, value: '', answer: 'ok' }", "4 impossibleAnswer error"),
    Case("{ at: 1, read: 3, answer: 23 }", "4 impossibleAnswer error"),
    Case("{ at: 1, read: 3, answer: '0011', parts: [[0, 1, 1]] }", "4 impossibleParts error"),
    Case("{ at: 1, write: 4, value: '0011', parts: [[0, 2, 1]] }", "4 impossibleParts error"),
    Case("{ at: 1, vanish: true, after: 'previous' }", "4 nothingBefore error"),
    Case("{ at: 1, pair: {}, answer: 'ok' }, { at: 2, encrypt: 'paired', error: 6 }, { at: 3, pair: {}, answer: 'none' }"),
    Case("{ at: 1, pair: {}, answer: '00' }", "4 impossibleAnswer error"),
    Case("{ at: 1, securityRequest: [], after: 'connection', answer: 'ok' }", "4 impossibleAnswer error"),
    Case(
      "{ at: 1, openChannel: { channel: 1, psm: 0x80 }, answer: 'ok' }, { at: 2, channelData: 1, value: '00' }, { at: 3, closeChannel: 1 }"),
    Case("{ at: 1, openChannel: { channel: 1, psm: 0x80 }, error: 2 },\n{ at: 2, channelData: 1, value: '00' }", "5 unknownChannel error"),
    Case(
      "{ at: 1, openChannel: { channel: 1, psm: 0x80 }, answer: 'ok' }, { at: 2, closeChannel: 1 },\n{ at: 3, closeChannel: 1 }",
      "5 unknownChannel error"),
    Case(
      "{ at: 1, openChannel: { channel: 1, psm: 0x80 }, answer: 'ok' },\n{ at: 2, openChannel: { channel: 1, psm: 0x80 }, answer: 'ok' }",
      "5 unknownChannel error"),
    Case("{ at: 1, read: 3, bearer: 1, answer: '00' }", "4 unknownChannel error"),
    Case(
      "{ at: 1, openChannel: { channel: 2, psm: 0x27 }, answer: 'ok' }, { at: 1, read: 3, bearer: 2, answer: '00' },\n"
        + "{ at: 2, encrypt: 'bonded', bearer: 2 }", "5 unknownChannel error"),
    Case("{ at: 1, by: 'peripheral', mtu: 23, id: 'a', after: 'a' }", "4 anchorLoop error"),
    Case("{ at: 1, by: 'peripheral', mtu: 23, id: 'a', after: { every: 2, write: 3, since: 'a' } }", "4 anchorLoop error"),
    Case("{ at: 1, by: 'peripheral', mtu: 23, after: 'idle', delay: 5, cancel: ['write'] }"),
    Case("{ at: 1, write: 4, value: '0100', answer: 'ok', matches: { mask: 'ff' } }", "4 impossibleMatcher error"),
    Case("{ at: 1, write: 4, value: '0100', answer: 'ok', matches: { prefix: 3 } }", "4 impossibleMatcher error"),
    Case("{ at: 1, write: 4, value: '0100', answer: 'ok', matches: { counter: 1, bytes: 2 } }", "4 impossibleMatcher error"),
    Case("{ at: 1, write: 4, value: '0100', answer: 'ok', matches: { counter: 0, bytes: 2, bigEndian: true } }"),
    Case(
      "{ at: 1, by: 'peripheral', mtu: 23, id: 'a', after: 'b' },\n{ at: 2, by: 'peripheral', mtu: 23, id: 'b', after: 'c' },\n"
        + "{ at: 3, by: 'peripheral', mtu: 23, id: 'c', after: 'b' }", "5 anchorLoop error"),
    Case("{ at: 1, by: 'peripheral', mtu: 23, after: 'b' },\n{ at: 2, read: 3, id: 'b' }"),
  ])
  func sessions(_ wrong: Case) throws {
    let text = Self.services + " sessions: [ { entries: [\n" + wrong.text + " ] } ]"
    #expect(try Self.problems(text).map { "\($0.line ?? 0) \($0.code) \($0.severity)" } == wrong.expected)
  }

  /// Problems that only a scenario made in code can have.
  @Test func scenariosFromCode() {
    let entries = [
      TimelineEntry(id: "", at: .zero, action: .read(AttributeHandle(1)), anchor: Anchor(.connection, delay: .zero)),
      TimelineEntry(id: "a", at: .zero, origin: .peripheral, action: .vanish),
      TimelineEntry(id: "a", at: .zero, origin: .peripheral, action: .vanish, anchor: Anchor(.entry("b"), delay: .zero)),
    ]
    let scenario = Scenario(
      device: Device(identifier: "x", mtu: 5), database: [Attribute(handle: AttributeHandle(0), kind: .unknown)],
      sessions: [Session(entries: entries)])
    #expect(
      scenario.problems().map(\.code) == [
        .invalidText, .invalidMTU, .invalidHandle, .outsideServices, .unknownHandle, .invalidID, .uselessAnchor, .missingAnchor,
        .duplicateID,
        .unknownAnchor,
      ])
    #expect(
      scenario.problems().first?.description
        == "error: the identifier \"x\" has not the 36-character form; write it as 6C1F93A2-0D4B-4E57-9B60-2F8A51C3D7E4")
  }

  @Test func playability() throws {
    let whole = try Scenario(
      reading: "{ format: 'understudy/1', device: { advertising: { data: '' } }, database: [ { handle: 1, service: '1800', end: 2 } ] }")
    #expect(whole.playable == .any)
    var partly = whole
    partly.device.advertising = nil
    partly.database.append(Attribute(handle: AttributeHandle(2), kind: .unknown))
    partly.sessions = [Session(entries: [TimelineEntry(at: .zero, action: .read(AttributeHandle(5)))])]
    #expect(
      partly.playable
        == .recordedCentralOnly([
          "the device has neither an address nor advertising", "the UUID is unknown of 0x0002",
          "the database lacks 0x0005, which the traffic uses",
        ]))
    #expect(Scenario().playable != .any)
  }

  @Test func lines() throws {
    let document = try ScenarioDocument(reading: sample.document(), file: "f")
    #expect(document.line(of: .device) == 7)
    #expect(document.line(of: .attribute(0, database: 1)) == 12)
    #expect(document.line(of: .session(1)) == 56)
    #expect(document.line(of: .entry(session: 0, 6)) == 32)
    #expect(document.line(of: .entry(session: 3, 0)) == nil)
  }
}
