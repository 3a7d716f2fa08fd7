import CaptureFiles
import ReplayEngine
import ReplayScenarios
import ScenarioExtraction
import TestSupport
import Testing

/// Which cause a message gets: what is learnt from a session about how its device answers.
struct AnchorFinderTests {
  /// PDUs of a link with the milliseconds that pass before each.
  private struct Traffic {
    var builder = CaptureBuilder()

    init() { builder.connect() }

    /// `>` is the central, `<` the peripheral.
    mutating func add(_ pdu: String, _ more: [UInt8] = [], after milliseconds: Int64 = 5) {
      builder.time = CaptureTime(microseconds: builder.time.microseconds + milliseconds * 1000 - 1000)
      builder.att(pdu.hasPrefix(">") ? .host : .controller, hex(String(pdu.dropFirst(2))) + more)
    }
  }

  /// The session, faithful to its capture; with and without a look at the messages' bytes.
  private func session(_ traffic: Traffic, usesLabels: Bool = true) throws -> Session {
    let recording = try CaptureRecording(bytes: traffic.builder.bytes, file: "synthetic.btsnoop")
    var extractor = ScenarioExtractor(recording)
    extractor.usesLabels = usesLabels
    let scenario = try Scenario(reading: extractor.scenario(of: try #require(extractor.subjects.first)).document(), file: "synthetic")
    let replay = ScenarioReplay(scenario)
    #expect(replay.differences == [])
    #expect(CaptureComparison(replay.trafficBySession, of: scenario, with: recording).differences == [])
    return scenario.sessions[0]
  }

  /// The values of the writes that the messages of 0x0005 wait for.
  private func asked(_ session: Session) -> [UInt8?] {
    let roots = AnchorRoots(session)
    return session.entries.indices.filter { session.entries[$0].origin == .peripheral }.map { place in
      roots.root(of: place).flatMap { root -> UInt8? in
        switch session.entries[root].action {
        case .write(_, let value), .writeCommand(_, let value): value.last
        default: nil
        }
      }
    }
  }

  /// A device that answers each write, but only when the next one has been made: its counter and the order both tell.
  @Test(arguments: [true, false], ["0300", "f0ff"])
  func answersThatComeLateKeepTheirRequests(usesLabels: Bool, handle: String) throws {
    var traffic = Traffic()
    for number in UInt8(1)...20 {
      traffic.add("> 52 \(handle) 8d", [number], after: 30)
      if number > 1 { traffic.add("< 1b 0500 8e", [number - 1]) }
    }
    traffic.add("< 1b 0500 8e 14", after: 35)
    #expect(try asked(session(traffic, usesLabels: usesLabels)) == (1...20).map { UInt8($0) })
  }

  /// Where some requests get no answer, the order says nothing; the counter does.
  @Test func labelsTellWhatIsAnswered() throws {
    var traffic = Traffic()
    var random = SeededGenerator(seed: 3)
    var answered: [UInt8] = []
    var waiting: [UInt8] = []
    for number in UInt8(1)...60 {
      traffic.add("> 52 0300 8d", [UInt8.random(in: 0...3, using: &random), number], after: 20)
      if Int.random(in: 0..<3, using: &random) > 0 { waiting.append(number) }
      while waiting.count > 2 || (!waiting.isEmpty && Bool.random(using: &random)) {
        let first = waiting.removeFirst()
        traffic.add("< 1b 0500 8e", [0, first])
        answered.append(first)
      }
    }
    let found = try asked(session(traffic))
    let right = zip(found, answered).count { $0 == $1 }
    #expect(found.count == answered.count)
    #expect(right * 100 >= answered.count * 99, "\(right) of \(answered.count)")
  }

  /// One attribute is told in answer to one that is written, whatever else is written.
  @Test func attributesAnswerInPairs() throws {
    var traffic = Traffic()
    for number in UInt8(1)...12 {
      traffic.add("> 12 0300", [number], after: 50)
      traffic.add("< 13")
      if number % 6 == 0 {
        traffic.add("> 12 0900 f0")
        traffic.add("< 13")
      }
      traffic.add("< 1b 0500 00")
    }
    #expect(try asked(session(traffic)) == (1...12).map { UInt8($0) })
  }

  /// A receipt at each dozen packets waits for the dozen, not for what came right before it.
  @Test func receiptsWaitForTheirDozen() throws {
    var traffic = Traffic()
    traffic.add("> 12 0300 08")
    traffic.add("< 13")
    for number in 1...60 {
      traffic.add("> 52 0900", [UInt8(number)])
      // The receipt of a dozen comes when the next one has begun.
      if number % 12 == 3, number > 12 { traffic.add("< 1b 0500", [UInt8(number / 12)]) }
    }
    traffic.add("< 1b 0500 05")
    let session = try session(traffic)
    let causes = session.entries.filter { $0.origin == .peripheral }.map { $0.anchor?.cause }
    #expect(causes == Array(repeating: .every(count: 12, write: AttributeHandle(9), since: "e1"), count: 5))
  }

  /// A value that comes after each read of another belongs to the read.
  @Test func aReadMayBeACause() throws {
    var traffic = Traffic()
    for number in UInt8(1)...6 {
      traffic.add("> 0a 0300", after: Int64(number) * 400)
      traffic.add("< 0b", [number])
      traffic.add("< 1b 0500", [number], after: 40)
    }
    let session = try session(traffic)
    let causes = session.entries.filter { $0.origin == .peripheral }.map { $0.anchor?.cause }
    #expect(causes == (0..<6).map { .entry("e\(2 * $0 + 1)") })
  }

  /// A value that comes after each confirmation of another's indication belongs to the confirmation.
  @Test func aConfirmationMayBeACause() throws {
    var traffic = Traffic()
    for number in UInt8(1)...6 {
      traffic.add("< 1d 0300", [number], after: Int64(number) * 400)
      traffic.add("> 1e", after: Int64(number) * 7)
      traffic.add("< 1b 0500", [number], after: 40)
    }
    let session = try session(traffic)
    let causes = session.entries.filter { if case .notify = $0.action { true } else { false } }.map { $0.anchor?.cause }
    #expect(causes == (0..<6).map { .entry("e\(2 * $0 + 1)") })
  }

  /// What a bonded central gets without having asked for anything comes when the link is encrypted.
  @Test func encryptionMayBeACause() throws {
    var traffic = Traffic()
    traffic.add("< 1b 0700 01", after: 20)
    traffic.builder.encrypt()
    traffic.add("< 1b 0500 aa", after: 60)
    traffic.add("< 1b 0500 bb", after: 60)
    let session = try session(traffic)
    #expect(
      session.entries.filter { if case .notify = $0.action { true } else { false } }.map { $0.anchor?.cause } == [
        .connection, .entry("l1"), .previous,
      ])
    #expect(session.entries.first { $0.id == "l1" }?.action == .link(.encrypt(.bonded)))
  }

  /// The first value between a CCCD write and its response belongs to the request.
  @Test func aValueThatOvertakesTheResponseBelongsToTheRequest() throws {
    var traffic = Traffic()
    for pdu in [
      "> 08 0100 ffff 0328", "< 09 07 0400 10 0500 e1ff", "> 04 0600 0600", "< 05 01 0600 0229", "> 12 0600 0100", "< 1b 0500 aa", "< 13",
      "< 1b 0500 bb",
    ] { traffic.add(pdu) }
    let causes = try session(traffic).entries.filter { $0.origin == .peripheral }.map { $0.anchor?.cause }
    #expect(causes == [.request("e3"), .entry("e3")])
  }
}
