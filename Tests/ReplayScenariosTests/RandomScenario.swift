import ReplayScenarios
import TestSupport

/// Makes scenarios that the document can say, consistent or not.
struct RandomScenario {
  var generator: SeededGenerator
  /// Which actions, answers and causes came up.
  var seen: Set<String> = []

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  private mutating func chance(_ percent: Int = 50) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }
  private mutating func bytes(_ most: Int = 30) -> [UInt8] {
    (0..<Int.random(in: 0...most, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }
  private mutating func number() -> UInt16 { UInt16.random(in: 0...UInt16.max, using: &generator) }
  private mutating func octet() -> UInt8 { UInt8.random(in: 0...255, using: &generator) }
  private mutating func handle() -> AttributeHandle { AttributeHandle(UInt16.random(in: 1...UInt16.max, using: &generator)) }
  private mutating func time() -> Duration {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: .milliseconds(Int64.random(in: 0...100_000, using: &generator))
    case 1: .nanoseconds(Int64.random(in: -(.max)...(.max), using: &generator))
    default: .nanoseconds(Int64.random(in: 0...10_000_000_000, using: &generator))
    }
  }
  private mutating func pick<T>(_ all: [T]) -> T { all[Int.random(in: 0..<all.count, using: &generator)] }
  private mutating func maybe<T>(_ make: (inout Self) -> T) -> T? { chance() ? make(&self) : nil }

  mutating func text() -> String {
    let parts = [
      "a", "Z", "\"", "'", "\\", "\n", "\r", "\t", "\u{0}", "\u{1B}", "\u{7F}", "\u{85}", "\u{2028}", "\u{2029}", "\u{202E}", "é", "心", "🫀",
      "//", "*/", "\u{FEFF}",
    ]
    return (0..<Int.random(in: 0...12, using: &generator)).map { _ in pick(parts) }.joined()
  }

  private mutating func uuid() -> BluetoothUUID {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: BluetoothUUID(pick([0x1800, 0x2A00, 0x2A37, 0x2902, 0x2A29] as [UInt16]))
    case 1: BluetoothUUID(number())
    case 2: BluetoothUUID(UInt32.random(in: 0...UInt32.max, using: &generator))
    default: BluetoothUUID(high: generator.next(), low: generator.next())
    }
  }

  mutating func scenario() -> Scenario {
    var scenario = Scenario()
    scenario.origin = maybe { me in
      Origin(
        file: me.text(), time: me.maybe { $0.text() }, capturedAt: me.maybe { $0.pick(Origin.Side.allCases) }, tool: me.maybe { $0.text() })
    }
    scenario.note = maybe { $0.text() }
    scenario.match = pick(MatchLevel.allCases)
    scenario.unmatched = pick(UnmatchedPolicy.allCases)
    scenario.device = device()
    scenario.database = database()
    if chance(30) { scenario.laterDatabases = (0..<Int.random(in: 1...3, using: &generator)).map { _ in database() } }
    if chance(40) {
      scenario.rules = (0..<Int.random(in: 1...3, using: &generator)).map { _ in rule() }
      scenario.expectations = (0..<Int.random(in: 0...3, using: &generator)).map { _ in expectation() }
      if chance() { scenario.faults = [text(), text()] }
    }
    for _ in 0..<Int.random(in: 0...3, using: &generator) { scenario.sessions.append(session()) }
    return scenario
  }

  private mutating func someHandle() -> AttributeHandle { AttributeHandle(UInt16.random(in: 1...0xFFFF, using: &generator)) }

  private mutating func template() -> ValueTemplate {
    let fields = [
      "a5", "{1}", "{2..4}", "{3..}", "{count}", "{count:2be}", "{length}", "{sum@1}", "{xor}", "{crc16:be}", "{value:0x0018}", "",
    ]
    let text = (0..<Int.random(in: 0...5, using: &generator)).map { _ in pick(fields) }.joined(separator: " ")
    return (try? ValueTemplate(text)) ?? ValueTemplate(bytes())
  }

  private mutating func rule() -> Rule {
    let kind = Int.random(in: 0..<4, using: &generator)
    let trigger: Rule.Trigger
    switch kind {
    case 0: trigger = .read(someHandle())
    case 1: trigger = .subscribe(someHandle())
    case 2: trigger = .write(someHandle(), value: [], matcher: .any)
    default: trigger = .write(someHandle(), value: [octet(), octet()], matcher: matcher())
    }
    let steps = (0..<Int.random(in: 0...3, using: &generator)).map { _ -> Rule.Step in
      let action: Rule.Step.Action
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: action = .notify(someHandle(), template())
      case 1: action = .set(someHandle(), template())
      default: action = .disconnect(HCIErrorCode(rawValue: octet()))
      }
      return Rule.Step(action, delay: chance() ? .zero : time())
    }
    let answer = kind == 0 && chance() ? template() : nil
    let error = answer == nil && kind != 1 && chance(30) ? ATTErrorCode(rawValue: octet()) : nil
    return Rule(on: trigger, answer: answer, error: error, steps: steps, note: maybe { $0.text() })
  }

  private mutating func expectation() -> ReplayScenarios.Expectation {
    let events: [ReplayScenarios.Expectation.Event] = [
      .scan, .attempt, .connect, .disconnect, .read(someHandle()), .write(someHandle()), .subscribe(someHandle()), .idle(time()),
      .mark(text()),
    ]
    return ReplayScenarios.Expectation(
      pick(events), count: Int.random(in: 0...3, using: &generator), atMost: maybe { Int.random(in: 0...9, using: &$0.generator) },
      within: maybe { $0.time() }, apart: maybe { $0.time() }, note: maybe { $0.text() })
  }

  private mutating func database() -> [Attribute] {
    var database: [Attribute] = []
    var last: UInt16 = 0
    for _ in 0..<Int.random(in: 0...12, using: &generator) {
      last += UInt16.random(in: 0...40, using: &generator)
      database.append(attribute(AttributeHandle(max(1, last))))
    }
    return database
  }

  private mutating func device() -> Device {
    Device(
      address: maybe { me in
        BluetoothAddress(
          me.generator.next(), kind: me.chance(80) ? me.pick([.random, .publicDevice, .classic]) : .init(rawValue: me.octet()))
      },
      addresses: (0..<Int.random(in: 0...2, using: &generator)).map { _ in address(.random) },
      name: maybe { $0.text() },
      identifier: maybe { BluetoothUUID(high: $0.generator.next(), low: $0.generator.next()).description },
      advertising: maybe { me in
        Advertising(
          data: me.bytes(), scanResponse: me.maybe { $0.bytes() }, connectable: me.chance(), interval: me.time(),
          rssi: Int.random(in: -128...127, using: &me.generator), provenance: me.pick(Provenance.allCases))
      },
      sendsUnsubscribed: chance(), keepsSubscriptions: chance(), mtu: Int.random(in: 23...65535, using: &generator))
  }

  private mutating func address(_ kind: BluetoothAddress.Kind) -> BluetoothAddress { BluetoothAddress(generator.next(), kind: kind) }

  private mutating func attribute(_ handle: AttributeHandle) -> Attribute {
    let end = AttributeHandle(UInt16.random(in: handle.rawValue...UInt16.max, using: &generator))
    let kind: Attribute.Kind =
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: .service(uuid: uuid(), primary: chance(), end: end)
      case 1: .include(uuid: maybe { $0.uuid() }, start: handle, end: end)
      case 2: .characteristic(uuid: uuid(), properties: octet(), value: self.handle())
      case 3: .descriptor(uuid: uuid())
      default: .unknown
      }
    return Attribute(
      handle: handle, kind: kind, content: maybe { me in me.chance() ? [UInt8](me.text().utf8) : me.bytes() },
      readError: maybe { ATTErrorCode(rawValue: $0.octet()) }, writeError: maybe { ATTErrorCode(rawValue: $0.octet()) },
      match: maybe { $0.pick(MatchLevel.allCases) }, unmatched: maybe { $0.pick(UnmatchedPolicy.allCases) },
      provenance: pick(Provenance.allCases), note: maybe { $0.text() })
  }

  private mutating func session() -> Session {
    var session = Session(
      link: maybe { Int.random(in: 0...Int(Int32.max), using: &$0.generator) }, file: maybe { $0.text() }, time: maybe { $0.text() },
      address: maybe { $0.address(.random) }, bonded: chance(30), parameters: maybe { $0.parameters() }, complete: chance(80),
      failed: maybe { HCIErrorCode(rawValue: $0.octet()) }, note: maybe { $0.text() })
    if chance(20) { session.database = Int.random(in: 1...4, using: &generator) }
    if chance() { session.mtu = Int.random(in: 23...0xFFFF, using: &generator) }
    for _ in 0..<Int.random(in: 0...3, using: &generator) { session.subscriptions[handle()] = number() }
    let count = Int.random(in: 0...20, using: &generator)
    var ids: [String] = []
    for index in 0..<count {
      var entry = entry()
      if chance(30) {
        entry.id = "\(text())\(index)"
        ids.append(entry.id ?? "")
      }
      session.entries.append(entry)
    }
    for index in session.entries.indices where session.entries[index].origin == .peripheral {
      let cause: Anchor.Cause =
        switch Int.random(in: 0..<6, using: &generator) {
        case 0 where !ids.isEmpty: .entry(pick(ids))
        case 1 where !ids.isEmpty: .request(pick(ids))
        case 2: .previous
        case 3: .idle
        case 4:
          .every(
            count: Int.random(in: 1...Int(Int32.max), using: &generator), write: handle(), since: ids.isEmpty || chance() ? nil : pick(ids))
        default: .connection
        }
      seen.insert("cause " + String(String(describing: cause).prefix { $0 != "(" }))
      session.entries[index].anchor = Anchor(
        cause, delay: chance(20) ? .zero : time(), cancel: chance() ? .unsubscribe : Anchor.Cancellation(rawValue: octet() & 3))
    }
    return session
  }

  private mutating func parameters() -> ConnectionParameters {
    ConnectionParameters(interval: number(), latency: number(), timeout: number())
  }

  private mutating func entry() -> TimelineEntry {
    let action: TimelineEntry.Action =
      switch Int.random(in: 0..<14, using: &generator) {
      case 0: .exchangeMTU(number())
      case 1: .read(handle())
      case 2: .readBlob(handle(), offset: number())
      case 3: .write(handle(), bytes())
      case 4: .writeCommand(handle(), bytes())
      case 5: .pdu(bytes())
      case 6: .notify(handle(), bytes())
      case 7: .indicate(handle(), bytes())
      case 8: .disconnect(HCIErrorCode(rawValue: octet()))
      case 9: .vanish
      default: .link(procedure())
      }
    if case .link(let procedure) = action { seen.insert("procedure " + String(String(describing: procedure).prefix { $0 != "(" })) }
    let isProcedure = if case .link = action { true } else { false }
    let answer: TimelineEntry.Answer? =
      switch Int.random(in: 0..<7, using: &generator) {
      case 0: .ok
      case 1: .value(bytes())
      case 2: .mtu(number())
      // One key says both: which it is, the action tells.
      case 3: isProcedure ? .refused(number()) : .error(ATTErrorCode(rawValue: octet()))
      case 4: .pdu(bytes())
      case 5: TimelineEntry.Answer.none
      default: nil
      }
    seen.insert("action " + String(String(describing: action).prefix { $0 != "(" }))
    if let answer { seen.insert("answer " + String(String(describing: answer).prefix { $0 != "(" })) }
    var parts: [TimelineEntry.Part] = []
    if chance(20) {
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        parts.append(.init(offset: time(), count: maybe { Int($0.number()) }, latency: time()))
      }
    }
    var matcher = WriteMatcher.exact
    switch action {
    case .write, .writeCommand: matcher = self.matcher()
    default: break
    }
    return TimelineEntry(
      at: time(), origin: chance() ? .central : .peripheral, action: action,
      bearer: chance(20) ? Int.random(in: 1...0xFFFF, using: &generator) : nil, answer: answer, latency: maybe { $0.time() }, parts: parts,
      matcher: matcher, truncated: chance(30) ? Int.random(in: 1...60, using: &generator) : nil,
      answerTruncated: chance(30) ? Int.random(in: 1...60, using: &generator) : nil,
      database: chance(10) ? Int.random(in: 1...4, using: &generator) : nil, isRequired: chance(10), note: chance(20) ? text() : nil)
  }

  private mutating func procedure() -> LinkProcedure {
    let channel = Int.random(in: 1...0xFFFF, using: &generator)
    return switch Int.random(in: 0..<10, using: &generator) {
    case 0: .securityRequest(AuthenticationRequirements(rawValue: octet()))
    case 1:
      .pair(
        Pairing(
          method: maybe { $0.pick(PairingMethod.allCases) }, isSecureConnections: chance(), central: maybe { $0.pairingEnd() },
          peripheral: maybe { $0.pairingEnd() }))
    case 2: .encrypt(pick(LinkProcedure.EncryptionKey.allCases))
    case 3:
      .requestParameters(
        ConnectionParameterRange(intervalMinimum: number(), intervalMaximum: number(), latency: number(), timeout: number()))
    case 4: .updateParameters(parameters())
    case 5: .updatePHY(central: LinkPHY(rawValue: octet() % 5), peripheral: LinkPHY(rawValue: octet()))
    case 6: .updateDataLength(central: number(), peripheral: number())
    case 7:
      .openChannel(
        L2CAPChannelOpening(channel: channel, psm: number(), central: maybe { $0.channelEnd() }, peripheral: maybe { $0.channelEnd() }))
    case 8: .channelData(channel: channel, bytes())
    default: .closeChannel(channel)
    }
  }

  private mutating func channelEnd() -> L2CAPChannelParameters {
    L2CAPChannelParameters(mtu: number(), mps: chance() ? number() : 0, credits: chance() ? number() : 0)
  }

  private mutating func pairingEnd() -> Pairing.End {
    Pairing.End(
      PairingFeatures(
        io: IOCapability(rawValue: chance() ? octet() % 5 : octet()), hasOutOfBandData: chance(),
        authentication: AuthenticationRequirements(rawValue: octet()), maximumKeySize: chance() ? 16 : octet(),
        initiatorKeys: KeyDistribution(rawValue: octet()), responderKeys: KeyDistribution(rawValue: octet())),
      sent: KeyDistribution(rawValue: chance() ? octet() : 0), keys: maybe { $0.keys() })
  }

  private mutating func keys() -> PairingKeys {
    func secret(_ count: Int, _ me: inout Self) -> [UInt8] { (0..<count).map { _ in me.octet() } }
    var keys = PairingKeys()
    keys.longTermKey = maybe { secret(16, &$0) }
    keys.diversifier = maybe { $0.number() }
    keys.random = maybe { secret(8, &$0) }
    keys.identityResolvingKey = maybe { secret(16, &$0) }
    keys.identity = maybe { $0.address($0.chance() ? .publicDevice : .random) }
    keys.signatureKey = maybe { secret(16, &$0) }
    return keys
  }

  private mutating func matcher() -> WriteMatcher {
    let matcher: WriteMatcher =
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: .mask(bytes())
      case 1: .prefix(Int(number()))
      case 2: .length
      case 3: .any
      case 4: .counter(at: Int(number()), bytes: Int.random(in: 1...8, using: &generator), bigEndian: chance())
      default: .exact
      }
    seen.insert("matcher " + String(String(describing: matcher).prefix { $0 != "(" }))
    return matcher
  }
}
