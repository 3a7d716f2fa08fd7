@testable import ReplayEngine
import ReplayScenarios
import TestSupport

/// How a central differs from the recorded one.
struct VariantHabits: Sendable {
  /// How many times as long it takes for everything.
  var slowness = 1
  /// Makes each read twice.
  var retriesReads = false
  /// Leaves out the n-th write of each session, counted from 1; CCCD writes don't count.
  var leavesOut: Int?
  /// Subscribes to everything that the database lets it.
  var subscribesToAll = false
  /// Changes bytes in longer values that it writes, by this seed.
  var nonces: UInt64?
  /// Exchanges this MTU.
  var mtu: UInt16?
  /// Asks for descriptors first, then for characteristics, then for services.
  var discoversBackwards = false
}

/// One thing that a variant of the recorded central does, and what it waits for.
struct VariantStep {
  enum Action: Equatable {
    case pdu([UInt8])
    case exchangeMTU(UInt16)
    case read(AttributeHandle)
    case write(AttributeHandle, [UInt8])
    case discover
    case disconnect(HCIErrorCode)
  }

  /// Values of one attribute.
  struct Told: Hashable {
    var opcode: UInt8
    var handle: AttributeHandle
    init?(_ bytes: [UInt8]) {
      guard bytes.count >= 3, bytes[0] == 0x1B || bytes[0] == 0x1D else { return nil }
      (opcode, handle) = (bytes[0], AttributeHandle(UInt16(bytes[1]) | UInt16(bytes[2]) << 8))
    }
  }

  var action: Action
  /// Whether the recording shows an answer, and whether that was an error.
  var isAnswered = true
  var mayFail = false
  /// The value that the recorded app had got last, where that was the last that happened before.
  var told: (Told, count: Int)?
  /// Time since all that it waits for.
  var delay: Duration

  /// What a central with these habits does in a session.
  static func steps(of session: Session, _ database: [Attribute], _ habits: VariantHabits, seed: Int) -> [VariantStep] {
    let configurations = database.configurations
    var random = habits.nonces.map { SeededGenerator(seed: $0 &+ UInt64(seed)) }
    var steps: [VariantStep] = []
    var told: [Told: Int] = [:]
    var lastTold: (Told, Duration)?
    var moment = Duration.zero
    var (writes, subscribed) = (0, false)
    if let mtu = habits.mtu, !session.entries.contains(where: { if case .exchangeMTU = $0.action { true } else { false } }) {
      steps.append(VariantStep(action: .exchangeMTU(mtu), delay: .milliseconds(5)))
    }
    if habits.discoversBackwards { steps.append(VariantStep(action: .discover, delay: .milliseconds(5))) }
    for entry in session.entries {
      guard entry.origin == .central else {
        if let value = Told(CentralStep.request(of: entry)) {
          told[value, default: 0] += 1
          lastTold = (value, entry.at)
        }
        continue
      }
      var step = VariantStep(action: .pdu(CentralStep.request(of: entry)), delay: .zero)
      var isConfiguration = false
      switch entry.action {
      case .exchangeMTU(let mtu): step.action = .exchangeMTU(habits.mtu ?? mtu)
      case .read(let handle): step.action = .read(handle)
      case .write(let handle, let value):
        isConfiguration = configurations[handle] != nil
        step.action = .write(handle, isConfiguration ? value : changed(value, &random))
      case .writeCommand(let handle, let value):
        step.action = .pdu(ATTPDU.writeCommand(handle: handle, value: changed(value, &random)).bytes)
      case .disconnect(let reason): step.action = .disconnect(reason)
      // The air plays the phone's stack.
      case .link: continue
      default: break
      }
      step.isAnswered = entry.answer != nil && entry.answer != TimelineEntry.Answer.none
      step.mayFail = isError(entry.answer)
      let before = max(moment, lastTold?.1 ?? .zero)
      if let lastTold, lastTold.1 >= moment { step.told = (lastTold.0, told[lastTold.0] ?? 0) }
      step.delay = max(.zero, entry.at - before) * habits.slowness
      moment = max(moment, entry.at + (entry.parts.last.map { $0.offset + $0.latency } ?? entry.latency ?? .zero))
      if case .pdu(let bytes) = step.action, isDiscovery(bytes), habits.discoversBackwards { continue }
      if isWrite(entry), !isConfiguration {
        writes += 1
        if writes == habits.leavesOut { continue }
      }
      if habits.subscribesToAll, !subscribed, entry.attribute != nil, !isDiscovery(CentralStep.request(of: entry)) {
        subscribed = true
        steps += subscriptions(database, except: session)
      }
      steps.append(step)
      if habits.retriesReads, case .read = step.action {
        step.told = nil
        step.delay = .milliseconds(40)
        steps.append(step)
      }
    }
    return steps
  }

  static func isWrite(_ entry: TimelineEntry) -> Bool { entry.origin == .central && entry.writtenValue != nil }

  private static func isError(_ answer: TimelineEntry.Answer?) -> Bool {
    switch answer {
    case .error: true
    case .pdu(let bytes): bytes.first == 0x01
    default: false
    }
  }

  private static func isDiscovery(_ bytes: [UInt8]) -> Bool { [0x04, 0x06, 0x08, 0x10].contains(bytes.first) }

  /// A value with some bytes changed, as a nonce, a clock or a checksum would.
  private static func changed(_ value: [UInt8], _ random: inout SeededGenerator?) -> [UInt8] {
    guard var generator = random, value.count > 4 else { return value }
    var value = value
    for _ in 0..<4 {
      let place = Int.random(in: value.indices, using: &generator)
      // Four of these cannot add up to the value that was there.
      value[place] = value[place] &+ UInt8.random(in: 1...63, using: &generator)
    }
    random = generator
    return value
  }

  private static func subscriptions(_ database: [Attribute], except session: Session) -> [VariantStep] {
    var properties: [AttributeHandle: UInt8] = [:]
    for attribute in database { if case .characteristic(_, let bits, let value) = attribute.kind { properties[value] = bits } }
    let written = Set(session.entries.filter(isWrite).compactMap(\.attribute))
    return database.configurations.sorted { $0.key < $1.key }.compactMap { descriptor, value in
      guard let bits = properties[value], bits & 0x30 != 0, !written.contains(descriptor) else { return nil }
      return VariantStep(action: .write(descriptor, [bits & 0x10 != 0 ? 1 : 2, 0]), mayFail: true, delay: .milliseconds(20))
    }
  }
}

extension Scenario {
  /// The database that holds when a session begins.
  func database(of session: Session) -> [Attribute] {
    databases.indices.contains(session.database - 1) ? databases[session.database - 1] : []
  }
}
