import ReplayScenarios

@testable import ReplayEngine

/// A central that scans for a moment, connects, and sends what the sessions of a scenario have at their times, whatever comes back; it
/// keeps all that it is told.
final class ScriptedCentral: AirCentral, @unchecked Sendable {
  let air: AirCore
  let performsProcedures = true
  private let scenario: Scenario
  private var link: Int?
  private var steps: [CentralStep] = []
  private var attempts = 0
  /// What it was told, with the time, in words.
  private(set) var told: [(at: AirInstant, words: String)] = []
  var words: [String] { told.map(\.words) }

  private static let scanTimer = -1
  private static let sessions = 2

  init(_ scenario: Scenario, faults: [Fault], seed: UInt64 = 3) {
    self.scenario = scenario
    air = AirCore([scenario], seed: seed)
    for fault in faults { air.arm(fault) }
    scan()
    while air.step(through: AirInstant(nanoseconds: 120_000_000_000)) {}
  }

  private func scan() {
    air.startScanning(self)
    air.setTimer(self, at: air.now.advanced(by: .milliseconds(5)), id: Self.scanTimer)
  }

  private func connect() {
    air.stopScanning(self)
    // A device without an end to its failures is left alone.
    attempts += 1
    if attempts <= 6 { air.connect(self, to: 0) }
  }

  func handle(_ event: AirEvent, in air: AirCore) {
    switch event {
    case .advertisement(_, let address, _, let isScanResponse, _, let rssi):
      if !isScanResponse { note("advertisement \(address) \(rssi)") }
    case .connected(let link, _):
      self.link = link
      note("connected \(link)")
      let session = scenario.sessions[min(link, Self.sessions) - 1]
      steps = CentralStep.steps(of: session)
      for (index, step) in steps.enumerated() { air.setTimer(self, at: air.now.advanced(by: step.at), id: link * 1000 + index) }
    case .connectionFailed(_, let reason):
      note("failed \(reason)")
      air.setTimer(self, at: air.now.advanced(by: .milliseconds(100)), id: Self.scanTimer)
    case .received(let link, let bytes, _):
      note("< \(Hexadecimal.encode(bytes))")
      if bytes.first == 0x1D { air.send([0x1E], on: link) }
    case .procedure(_, let procedure): note("< \(procedure.words)")
    case .settled(_, let procedure, let outcome): note("settled \(procedure.words) \(outcome)")
    case .pairingAsked: note("asked whether to pair")
    case .disconnected(let link, let reason):
      note("disconnected \(reason)")
      if self.link == link { self.link = nil }
      if link < Self.sessions { scan() }
    case .credits(_, let areLeft): note("credits \(areLeft)")
    case .adapter(let isOn):
      note("adapter \(isOn)")
      link = nil
      if isOn { scan() }
    case .timer(Self.scanTimer): connect()
    case .timer(let id):
      guard let link, id / 1000 == link, steps.indices.contains(id % 1000) else { return }
      switch steps[id % 1000].action {
      case .send(let bytes, _, _): air.send(bytes, on: link)
      case .perform(let procedure, _): air.perform(procedure, on: link)
      case .disconnect(let reason): air.disconnect(link, reason: reason)
      }
    }
  }

  private func note(_ words: String) { told.append((air.now, words)) }

  var verdict: Verdict { Verdict(air, seed: 3) }

  /// What was told before the fault took effect, and from then on; `nil` where it did not.
  func parts(_ fault: Fault) -> (before: [String], after: [String], firing: FaultFiring)? {
    guard let firing = verdict.firings.first(where: { $0.fault == fault }) else { return nil }
    return (told.filter { $0.at < firing.time }.map(\.words), told.filter { $0.at >= firing.time }.map(\.words), firing)
  }
}
