import ReplayEngine
import ReplayScenarios
import TestSupport

/// A central that sends what a test tells it to, and keeps what comes.
final class TestCentral: AirCentral, @unchecked Sendable {
  let air: AirCore
  private(set) var link: Int?
  private(set) var received: [(at: AirInstant, bytes: [UInt8])] = []
  private(set) var ended: HCIErrorCode?
  private(set) var failed: HCIErrorCode?
  private(set) var advertisements = 0

  /// What it does besides with what comes.
  var whenReceived: ([UInt8]) -> Void = { _ in }

  let performsProcedures: Bool
  /// What the peripheral did besides attribute traffic, and how what was asked of it came out.
  private(set) var procedures: [String] = []
  private(set) var settled: [String] = []

  /// The place of the peripheral among the air's.
  private let peripheral: Int

  /// One of several on an air.
  init(in air: AirCore, peripheral: Int = 0) {
    performsProcedures = false
    (self.air, self.peripheral) = (air, peripheral)
  }

  init(_ scenario: Scenario, faults: [Fault] = [], performsProcedures: Bool = false, seed: UInt64 = 0) {
    self.performsProcedures = performsProcedures
    peripheral = 0
    air = AirCore([scenario], seed: seed)
    for fault in faults { air.arm(fault) }
  }

  func handle(_ event: AirEvent, in air: AirCore) {
    switch event {
    case .connected(let link, _): self.link = link
    case .connectionFailed(_, let reason): failed = reason
    case .received(_, let bytes, _):
      received.append((air.now, bytes))
      whenReceived(bytes)
    case .procedure(_, let procedure): procedures.append(procedure.words)
    case .settled(_, let procedure, let outcome): settled.append("\(procedure.words): \(outcome)")
    case .advertisement: advertisements += 1
    case .disconnected(_, let reason):
      ended = reason
      link = nil
    default: break
    }
  }

  /// Connects and lets nothing pass that is later than the connection itself.
  func connect() {
    (ended, failed) = (nil, nil)
    air.connect(self, to: peripheral)
    air.step()
  }

  /// Ends the link.
  func leave() {
    if let link { air.disconnect(link, reason: .remoteUserTerminatedConnection) }
    wait(.milliseconds(1))
  }

  /// Sends a PDU, lets a time pass, and tells what came meanwhile.
  @discardableResult
  func send(_ text: String, wait: Duration = .seconds(1)) -> [String] {
    let before = received.count
    if let link { air.send(hex(text), on: link) }
    self.wait(wait)
    return received.dropFirst(before).map { Hexadecimal.encode($0.bytes) }
  }

  /// Lets a time pass.
  func wait(_ duration: Duration) {
    let end = air.now.advanced(by: duration)
    while air.step(through: end) {}
    air.advance(to: end)
  }

  var verdict: Verdict { Verdict(air, seed: 0) }
}

extension Scenario {
  /// A service 0x0001…0x0010 with a value 0x0003 (read, write, notify, CCCD 0x0004) and a value 0x0006 (write without response).
  static func small(_ entries: [TimelineEntry], match: MatchLevel = .perAttribute, unmatched: UnmatchedPolicy = .again) -> Scenario {
    Scenario(
      match: match, unmatched: unmatched, device: Device(name: "Small", mtu: 64),
      database: [
        Attribute(
          handle: AttributeHandle(1), kind: .service(uuid: BluetoothUUID(0xFFE0 as UInt16), primary: true, end: AttributeHandle(16))),
        Attribute(
          handle: AttributeHandle(2),
          kind: .characteristic(uuid: BluetoothUUID(0xFFE1 as UInt16), properties: 0x1A, value: AttributeHandle(3)),
          content: [0x55]),
        Attribute(handle: AttributeHandle(4), kind: .descriptor(uuid: BluetoothUUID(0x2902 as UInt16))),
        Attribute(
          handle: AttributeHandle(5),
          kind: .characteristic(uuid: BluetoothUUID(0xFFE2 as UInt16), properties: 0x04, value: AttributeHandle(6))),
      ], sessions: [Session(entries: entries)])
  }
}

extension TimelineEntry {
  static func read(_ at: Int, _ value: [UInt8]) -> TimelineEntry {
    TimelineEntry(at: .milliseconds(at), action: .read(AttributeHandle(3)), answer: .value(value), latency: .milliseconds(10))
  }
  static func write(_ at: Int, _ value: [UInt8], handle: UInt16 = 3, id: String? = nil, answer: Answer = .ok) -> TimelineEntry {
    TimelineEntry(id: id, at: .milliseconds(at), action: .write(AttributeHandle(handle), value), answer: answer, latency: .milliseconds(10))
  }
  static func notify(_ at: Int, _ value: [UInt8], after cause: Anchor.Cause, _ delay: Int) -> TimelineEntry {
    TimelineEntry(
      at: .milliseconds(at), origin: .peripheral, action: .notify(AttributeHandle(3), value),
      anchor: Anchor(cause, delay: .milliseconds(delay)))
  }
}
