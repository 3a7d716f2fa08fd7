import ReplayScenarios
import TestSupport
import Testing

/// What sessions of one device tell of each other's writes.
struct WriteComparisonTests {
  /// A write with what comes after it.
  private struct Step {
    var value: [UInt8]
    var told: [UInt8] = [1]
    var isCommand = false
  }

  private func hex(_ text: String) -> [UInt8] { Hexadecimal.decode(text.replacing(" ", with: "")) ?? [] }

  private func bytes(_ random: inout SeededGenerator, _ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  private func scenario(_ sessions: [[Step]]) -> Scenario {
    let handle = AttributeHandle(3)
    return Scenario(
      database: [
        Attribute(
          handle: AttributeHandle(1), kind: .service(uuid: BluetoothUUID(0xFFE0 as UInt16), primary: true, end: AttributeHandle(16))),
        Attribute(
          handle: AttributeHandle(2),
          kind: .characteristic(uuid: BluetoothUUID(0xFFE1 as UInt16), properties: 0x1E, value: handle)),
        Attribute(handle: AttributeHandle(4), kind: .descriptor(uuid: BluetoothUUID(0x2902 as UInt16))),
      ],
      sessions: sessions.map { steps in
        var entries = [TimelineEntry(at: .zero, action: .write(AttributeHandle(4), [1, 0]), answer: .ok)]
        for step in steps {
          entries.append(
            step.isCommand
              ? TimelineEntry(at: .zero, action: .writeCommand(handle, step.value))
              : TimelineEntry(at: .zero, action: .write(handle, step.value), answer: .ok))
          entries.append(
            TimelineEntry(
              at: .zero, origin: .peripheral, action: .notify(handle, step.told), anchor: Anchor(.connection, delay: .zero)))
        }
        return Session(entries: entries)
      })
  }

  private func masks(_ sessions: [[Step]]) -> [String] {
    WriteComparison(scenario(sessions)).masks.map { "\($0.session).\($0.entry) \(Hexadecimal.encode($0.bytes))" }.sorted()
  }

  // MARK: Masks

  @Test func bytesThatDifferAreMaskedInEachSession() {
    let found = masks([
      [Step(value: hex("01 05 07 22")), Step(value: hex("02 00"))], [Step(value: hex("01 05 09 22")), Step(value: hex("02 00"))],
      [Step(value: hex("01 05 07 22"))],
    ])
    #expect(found == ["0.1 ffff00ff", "1.1 ffff00ff", "2.1 ffff00ff"])
  }

  @Test func commandsAndWritesAreNotMixed() {
    let first = [Step(value: hex("01 05 07 22"), isCommand: true), Step(value: hex("01 05 08 22"))]
    let second = [Step(value: hex("01 05 08 22")), Step(value: hex("01 05 09 22"), isCommand: true)]
    #expect(masks([first, second]) == ["0.1 ffff00ff", "1.3 ffff00ff"])
  }

  /// Where it is not certain that equal places mean the same, nothing is masked.
  @Test(arguments: [
    // One session tells nothing.
    [["01050722", "0200"]],
    // Other lengths, in this place or in another.
    [["01050722"], ["010507"]], [["01050722", "0200"], ["01050922", "020000"]],
    // Hardly a byte is the same.
    [["01050722"], ["02060722"], ["03050922"]], [["01"], ["02"]],
    // The same commands in another order.
    [["010507", "010508"], ["010508", "010507"]], [["010507", "010508", "010509"], ["010507", "010509", "010508"]],
  ])
  func nothingIsMaskedWithoutReason(sessions: [[String]]) {
    #expect(masks(sessions.map { $0.map { Step(value: hex($0)) } }) == [])
  }

  /// A clock and a checksum in a packet are masked, and a nonce whose answer is always the same.
  @Test func aNonceThatNothingDependsOnIsMasked() {
    var random = SeededGenerator(seed: 1)
    let sessions = (0..<3).map { _ in [Step(value: [0x01] + bytes(&random, 16))] }
    #expect(masks(sessions) == (0..<3).map { "\($0).1 ff\(String(repeating: "00", count: 16))" })
  }

  /// CCCD writes are matched by the engine itself.
  @Test func subscriptionsAreLeftOut() {
    var scenario = scenario([[], []])
    scenario.sessions[1].entries[0] = TimelineEntry(at: .zero, action: .write(AttributeHandle(4), [2, 0]), answer: .ok)
    #expect(WriteComparison(scenario).masks.isEmpty)
  }

  /// A mask of a place that one session alone has would be a guess.
  @Test func placesThatOneSessionLacksHaveNone() {
    let found = masks([
      [Step(value: hex("0105")), Step(value: hex("0207"))], [Step(value: hex("0106")), Step(value: hex("0208"))],
      [Step(value: hex("0107"))],
    ])
    #expect(found == ["0.1 ff00", "1.1 ff00", "2.1 ff00"])
  }

  // MARK: Answers that follow the request

  private func challenges(_ sessions: [[Step]]) -> [String] {
    scenario(sessions).problems().filter { $0.code == .notReplayable }.map { "\($0.place) \($0.severity)" }
  }

  @Test func answersThatFollowARandomRequestAreFound() throws {
    var random = SeededGenerator(seed: 2)
    let sessions = (0..<2).map { _ in
      [Step(value: hex("02 00")), Step(value: [0x01, 0x50] + bytes(&random, 8), told: [0x02] + bytes(&random, 8))]
    }
    #expect(challenges(sessions) == ["session 1, entry 4 warning"])
    let problem = try #require(scenario(sessions).problems().first { $0.code == .notReplayable })
    #expect(problem.message.hasPrefix("not-replayable: what is written to 0x0003"))
    // With a rule for it, another app is answered.
    var ruled = scenario(sessions)
    ruled.rules = [Rule(on: .write(AttributeHandle(3), value: [], matcher: .any))]
    #expect(!ruled.problems().contains { $0.code == .notReplayable })
    ruled.rules = [Rule(on: .read(AttributeHandle(9)))]
    #expect(ruled.problems().contains { $0.code == .notReplayable })
    #expect(problem.message.contains("from 0x0003"))
    // Masked bytes would say that the answer holds for any of them.
    #expect(masks(sessions) == [])
  }

  @Test func whatIsNotRandomOrHasOneAnswerIsReplayable() {
    var random = SeededGenerator(seed: 3)
    let nonces = (0..<2).map { _ in [UInt8(1)] + bytes(&random, 12) }
    // One answer to all.
    #expect(challenges(nonces.map { [Step(value: $0, told: [9])] }) == [])
    // A clock of which few bytes change, texts, and another length.
    #expect(challenges([[Step(value: hex("01 5c84ff2f 00"), told: [1])], [Step(value: hex("01 5c850285 00"), told: [2])]]) == [])
    #expect(challenges([[Step(value: Array("version 1".utf8), told: [1])], [Step(value: Array("uptime 77".utf8), told: [2])]]) == [])
    #expect(challenges([[Step(value: nonces[0], told: [1])], [Step(value: nonces[1] + [0], told: [2])]]) == [])
    // Equal requests, be their answers what they may.
    #expect(challenges([[Step(value: nonces[0], told: [1])], [Step(value: nonces[0], told: [2])]]) == [])
    #expect(challenges([[Step(value: nonces[0], told: [1]), Step(value: nonces[1], told: [2])]]) == [])
  }

  /// A session of many writes is compared in time that grows with it, and no more than its beginning is kept.
  @Test func manyWritesAreBounded() {
    var random = SeededGenerator(seed: 4)
    let sessions = (0..<2).map { _ in (0..<20_000).map { _ in Step(value: [0x01] + bytes(&random, 15)) } }
    #expect(WriteComparison(scenario(sessions)).masks.count == 512)
  }
}
