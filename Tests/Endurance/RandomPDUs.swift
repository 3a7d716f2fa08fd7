import ReplayEngine
import ReplayScenarios
import TestSupport

/// Sends ATT PDUs of every kind, right and wrong ones, to a virtual peripheral, and holds what comes back against
/// Core 5.4, Vol 3, Part F: a request gets exactly one response of its own, nothing else gets any.
struct RandomPDUs {
  private let air: AirCore
  private let central = Listener()
  private let attributes: Set<UInt16>
  /// Whether a request that the tape does not have is answered from the database, so that its error is known.
  private let usesDatabase: Bool
  private var random: SeededGenerator
  private(set) var (sent, requests, responses) = (0, 0, 0)
  /// The first few things that were not as they have to be.
  private(set) var violations: [String] = []

  private final class Listener: AirCentral, @unchecked Sendable {
    var link: Int?
    var mtu = 23
    var received: [[UInt8]] = []

    func handle(_ event: AirEvent, in air: AirCore) {
      switch event {
      case .connected(let link, _): self.link = link
      case .disconnected: link = nil
      case .received(_, let bytes, _): received.append(bytes)
      default: break
      }
    }
  }

  init(seed: UInt64, match: MatchLevel, policy: UnmatchedPolicy) {
    let scenario = Self.scenario(match, policy)
    air = AirCore([scenario])
    air.logLimit = 0
    random = SeededGenerator(seed: seed)
    usesDatabase = policy == .again || policy == .last
    attributes = Set(
      scenario.databases[0].flatMap { attribute -> [UInt16] in
        if case .characteristic(_, _, let value) = attribute.kind { return [attribute.handle.rawValue, value.rawValue] }
        return [attribute.handle.rawValue]
      })
  }

  /// Sends so many PDUs.
  mutating func drive(_ count: Int) {
    for _ in 0..<count {
      guard let link = connected() else { return note("the link did not come up") }
      let pdu = make()
      sent += 1
      central.received.removeAll(keepingCapacity: true)
      air.send(pdu, on: link)
      let end = air.now.advanced(by: .milliseconds(1))
      while air.step(through: end) {}
      air.advance(to: end)
      check(pdu)
    }
  }

  private func connected() -> Int? {
    if central.link == nil {
      central.mtu = 23
      air.connect(central, to: 0)
      air.step()
    }
    return central.link
  }

  // MARK: - What is sent

  private mutating func make() -> [UInt8] {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<70: return right()
    case 70..<80:
      // Cut somewhere.
      let whole = right()
      return Array(whole.prefix(Int.random(in: 1...whole.count, using: &random)))
    case 80..<90:
      // One octet is another.
      var bytes = right()
      bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: .min ... .max, using: &random)
      return bytes
    default: return random.bytes(Int.random(in: 1...600, using: &random))
    }
  }

  private mutating func handle() -> [UInt8] {
    let number =
      Int.random(in: 0..<10, using: &random) == 0 ? UInt16.random(in: 0...0xFFFF, using: &random) : .random(in: 0...22, using: &random)
    return [UInt8(truncatingIfNeeded: number), UInt8(number >> 8)]
  }

  private mutating func value(_ most: Int = 24) -> [UInt8] { random.bytes(Int.random(in: 0...most, using: &random)) }

  /// A PDU that the specification allows, at least in its form.
  private mutating func right() -> [UInt8] {
    let types: [[UInt8]] = [[0x00, 0x28], [0x01, 0x28], [0x02, 0x28], [0x03, 0x28], [0x02, 0x29], [0x00, 0x2A], [0x37, 0x2A]]
    let type = types[Int.random(in: types.indices, using: &random)]
    switch Int.random(in: 0..<19, using: &random) {
    case 0: return [0x02, .random(in: 0...255, using: &random), .random(in: 0...2, using: &random)]
    case 1: return [0x04] + handle() + handle()
    case 2: return [0x06] + handle() + handle() + type + value()
    case 3: return [0x08] + handle() + handle() + type
    case 4: return [0x10] + handle() + handle() + type
    case 5, 6: return [0x0A] + handle()
    case 7: return [0x0C] + handle() + [.random(in: 0...80, using: &random), 0]
    case 8: return [0x0E] + handle() + handle() + (Bool.random(using: &random) ? handle() : [])
    case 9: return [0x20] + handle() + handle()
    case 10, 11: return [0x12] + handle() + value()
    // What the session has.
    case 12: return [0x12, 0x03, 0x00, .random(in: 0...3, using: &random)]
    case 13: return [0x52] + handle() + value()
    case 14: return [0x16] + handle() + [.random(in: 0...60, using: &random), 0] + value()
    case 15: return [0x18, .random(in: 0...2, using: &random)]
    case 16: return [0x1E]
    case 17: return [0x12, 0x06, 0x00, .random(in: 0...3, using: &random), 0x00]
    default:
      return [[0x01, 0x0A, 0x03, 0x00, 0x0A], [0x0B, 0x01], [0x13], [0x1B, 0x03, 0x00, 0x07], [0xD2, 0x03, 0x00]][
        Int.random(in: 0..<5, using: &random)]
    }
  }

  // MARK: - What has to come

  private mutating func check(_ pdu: [UInt8]) {
    let opcode = ATTOpcode(rawValue: pdu[0])
    var answers: [[UInt8]] = []
    for bytes in central.received {
      if bytes.count > central.mtu, opcode != .exchangeMTURequest { note(pdu, "\(bytes.count) bytes came at MTU \(central.mtu)") }
      switch ATTOpcode(rawValue: bytes[0]).role {
      case .response: answers.append(bytes)
      case .notification, .indication: break
      // A client confirms what it is told (3.4.7.2).
      case .confirmation: if opcode != .handleValueIndication { note(pdu, "a confirmation came") }
      case .request, .command: note(pdu, "a \(ATTOpcode(rawValue: bytes[0])) came")
      }
    }
    responses += answers.count
    guard opcode.role == .request else {
      if let first = answers.first { note(pdu, "\(Hexadecimal.encode(first)) came, and nothing was asked") }
      return
    }
    requests += 1
    guard answers.count == 1, let answer = answers.first else { return note(pdu, "\(answers.count) responses came") }
    checkAnswer(answer, to: pdu, opcode)
  }

  private mutating func checkAnswer(_ answer: [UInt8], to pdu: [UInt8], _ opcode: ATTOpcode) {
    let parsed = try? ATTPDU(parsing: pdu)
    guard answer[0] == ATTOpcode.errorResponse.rawValue else {
      if answer[0] != opcode.expectedResponse?.rawValue || parsed == nil {
        note(pdu, "the response \(Hexadecimal.encode(answer)) is another's")
      }
      if case .exchangeMTURequest(let mtu)? = parsed { central.mtu = max(23, min(Int(mtu), Int(answer[1]) | Int(answer[2]) << 8)) }
      if case .prepareWriteRequest? = parsed, answer.dropFirst() != pdu.dropFirst() { note(pdu, "the part was not echoed") }
      return
    }
    guard answer.count == 5, answer[1] == pdu[0] else { return note(pdu, "the error \(Hexadecimal.encode(answer)) is another's") }
    let (error, handle) = (ATTErrorCode(rawValue: answer[4]), UInt16(answer[2]) | UInt16(answer[3]) << 8)
    if let expected = expectedError(pdu, parsed, opcode), expected != error { note(pdu, "it got \(error) instead of \(expected)") }
    if handle != 0, !pdu.dropFirst().indices.dropLast().contains(where: { UInt16(pdu[$0]) | UInt16(pdu[$0 + 1]) << 8 == handle }),
      opcode != .executeWriteRequest
    {
      note(pdu, "the error names the handle \(handle), which was not asked for")
    }
  }

  /// The error that a request has to get whatever the tape has; `nil` where it depends.
  private func expectedError(_ pdu: [UInt8], _ parsed: ATTPDU?, _ opcode: ATTOpcode) -> ATTErrorCode? {
    guard let parsed else { return .invalidPDU }
    switch parsed {
    case .unknown: return .requestNotSupported
    case .findInformationRequest(let start, let end), .readByTypeRequest(let start, let end, _),
      .readByGroupTypeRequest(let start, let end, _), .findByTypeValueRequest(let start, let end, _, _):
      if start.rawValue == 0 || start > end { return .invalidHandle }
      // Only grouping types can be asked for (3.4.4.9).
      if case .readByGroupTypeRequest(_, _, let type) = parsed, ![0x2800, 0x2801].contains(type.short ?? 0) {
        return .unsupportedGroupType
      }
      return .attributeNotFound
    case .readRequest(let handle), .writeRequest(let handle, _):
      return usesDatabase && !attributes.contains(handle.rawValue) ? .invalidHandle : nil
    default: return nil
    }
  }

  private mutating func note(_ pdu: [UInt8], _ words: String) { note("PDU \(sent) \(Hexadecimal.encode(Array(pdu.prefix(32)))): \(words)") }
  private mutating func note(_ words: String) { if violations.count < 20 { violations.append(words) } }

  // MARK: - The peripheral

  /// A device with something of everything, and a session that has causes, long values and errors.
  private static func scenario(_ match: MatchLevel, _ policy: UnmatchedPolicy) -> Scenario {
    func handle(_ number: UInt16) -> AttributeHandle { AttributeHandle(number) }
    func uuid(_ short: UInt16) -> BluetoothUUID { BluetoothUUID(short) }
    let database: [Attribute] = [
      Attribute(handle: handle(1), kind: .service(uuid: uuid(0xFFE0), primary: true, end: handle(12))),
      Attribute(handle: handle(2), kind: .characteristic(uuid: uuid(0xFFE1), properties: 0x0A, value: handle(3)), content: ([1, 2, 3])),
      Attribute(handle: handle(4), kind: .characteristic(uuid: uuid(0x2A37), properties: 0x30, value: handle(5))),
      Attribute(handle: handle(6), kind: .descriptor(uuid: uuid(0x2902))),
      Attribute(handle: handle(7), kind: .characteristic(uuid: uuid(0xFFE2), properties: 0x0E, value: handle(8)), content: (Array(0..<60))),
      Attribute(handle: handle(9), kind: .descriptor(uuid: uuid(0x2901)), content: (Array("long description of it".utf8))),
      Attribute(handle: handle(13), kind: .service(uuid: uuid(0x1800), primary: true, end: handle(16))),
      Attribute(handle: handle(14), kind: .characteristic(uuid: uuid(0x2A00), properties: 0x02, value: handle(15)), content: ([0x41])),
      Attribute(handle: handle(17), kind: .service(uuid: uuid(0xFFF0), primary: false, end: handle(20))),
    ]
    let entries = [
      TimelineEntry(id: "s", at: .milliseconds(1), action: .write(handle(6), [1, 0]), answer: .ok),
      TimelineEntry(
        at: .milliseconds(2), origin: .peripheral, action: .notify(handle(5), [0, 60]), anchor: Anchor(.entry("s"), delay: .zero)),
      TimelineEntry(
        at: .milliseconds(3), origin: .peripheral, action: .indicate(handle(5), [0, 61]), answer: .ok,
        anchor: Anchor(.previous, delay: .zero)),
      TimelineEntry(id: "w", at: .milliseconds(4), action: .write(handle(3), [2]), answer: .ok),
      TimelineEntry(
        at: .milliseconds(5), origin: .peripheral, action: .notify(handle(5), [0, 62]), anchor: Anchor(.entry("w"), delay: .zero)),
      TimelineEntry(at: .milliseconds(6), action: .read(handle(3)), answer: .value([9])),
      TimelineEntry(at: .milliseconds(7), action: .write(handle(8), [3]), answer: .error(ATTErrorCode(rawValue: 0x80))),
      TimelineEntry(at: .milliseconds(8), action: .read(handle(8)), answer: .value(Array(0..<50))),
    ]
    return Scenario(
      match: match, unmatched: policy, device: Device(name: "Anything", mtu: 247), database: database, sessions: [Session(entries: entries)]
    )
  }
}
