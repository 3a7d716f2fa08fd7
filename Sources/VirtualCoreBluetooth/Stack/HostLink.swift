import BLEWire
import Foundation
import GATTStack
import ReplayEngine

/// One connection of the phone: the GATT client, and who uses it. It is only touched inside the air's lock.
final class HostLink: @unchecked Sendable {
  let device: DeviceKey
  unowned let host: HostStack
  /// The link's number on the air; `nil` while it is being made.
  var number: Int?
  /// Whether the air was asked to connect; a device that is not there any more is waited for.
  var isDialed = false
  /// Whether an app that is not the one under test has the link.
  var hasOtherApp = false
  /// The managers' parts, in the order in which they asked for the connection.
  private(set) var uses: [PeripheralLink] = []
  /// Whether the peripheral left a request without an answer for 30 s.
  private var hasTimedOut = false
  /// Whether the controller takes no commands, and those that wait for it.
  private var isStalled = false
  private var kept: [(pdu: ATTPDU, whenLeft: (AirCore) -> Void)] = []
  private var client: GATTClient
  private var endings: [Int: Running] = [:]
  private var procedureCount = 0
  /// How often the user was asked whether to pair, and the question that waits for an answer.
  private var promptCount = 0
  private var openPrompt: Int?
  /// Core 5.4, Vol 3, Part H, 3.4.
  private static let pairingTimeout = Duration.seconds(30)
  /// When the request under way must have been answered, and whether the link is looked at then.
  private var answerEnd = AirInstant.start
  private var isWatched = false
  /// Requests that wait for a pairing, with the error that they got.
  private var refused: [(running: Running, failure: GATTClient.Failure)] = []

  /// The value of Service Changed, where the device has one.
  var serviceChanged: AttributeHandle?

  /// A procedure under way, for whom it is, and what is done with its result.
  private struct Running {
    var procedure: GATTClient.Procedure
    weak var use: PeripheralLink?
    var isRepeated = false
    var call: (GATTClient.Result, AirCore) -> Void
  }

  init(_ device: DeviceKey, host: HostStack, mtu: Int) {
    self.device = device
    self.host = host
    client = GATTClient(receiveMTU: mtu)
  }

  var mtu: Int { client.mtu }

  // MARK: - Users

  func add(_ use: PeripheralLink) { uses.append(use) }

  /// One manager does not use the link any more; what it asked for is told to nobody.
  func remove(_ use: PeripheralLink) {
    uses.removeAll { $0 === use }
    for (id, running) in endings where running.use === use { endings[id]?.call = { _, _ in } }
    refused.removeAll { $0.running.use === use }
  }

  /// Ends the link, or the attempt to make it, if nobody is left who uses it. Tells whether it ends by an event.
  @discardableResult
  func endIfUnused(in air: AirCore) -> Bool {
    guard uses.isEmpty, !hasOtherApp else { return false }
    if let number {
      air.disconnect(number)
      return true
    }
    if isDialed { air.cancelConnection(to: device.index) }
    host.forget(self)
    return false
  }

  // MARK: - Coming up and ending

  func up(in air: AirCore) {
    if let number, air.isBonded(number) { host.cache.note(isBonded: true, device) }
    checkMemory(in: air)
    for use in uses { use.connected(in: air) }
    run(.exchangeMTU(client.receiveMTU), for: nil, in: air) { [weak self] _, air in self?.introduce(in: air) }
    if hasOtherApp { lookAtServices(in: air) }
  }

  /// Another app looks at the services, so that the phone knows them.
  func lookAtServices(in air: AirCore) { run(.discoverServices(nil), for: nil, in: air) { _, _ in } }

  /// The connection has not come about, or not for apps.
  func fail(_ reason: HCIErrorCode, in air: AirCore) {
    let told = uses
    clear()
    for use in told { use.failed(reason, in: air) }
  }

  /// The link is gone; no procedure is told of, as on a phone.
  func ended(_ reason: HCIErrorCode, in air: AirCore) {
    let told = uses
    clear()
    for use in told { use.ended(reason, hasTimedOut: hasTimedOut, in: air) }
  }

  /// The link, or the attempt to make it, is gone with Bluetooth, whoever uses it.
  func radioOff(in air: AirCore) {
    if let number { air.disconnect(number) } else if isDialed { air.cancelConnection(to: device.index) }
    let told = uses
    clear()
    for use in told { use.radioOff(in: air) }
  }

  func clear() {
    number = nil
    uses = []
    (endings, refused, kept, isStalled, openPrompt) = ([:], [], [], false, nil)
    _ = client.disconnect()
  }

  // MARK: - Procedures

  /// Runs a procedure; `ending` gets its result, unless the link ends first.
  func run(
    _ procedure: GATTClient.Procedure, for use: PeripheralLink?, in air: AirCore,
    _ ending: @escaping (GATTClient.Result, AirCore) -> Void
  ) {
    if use != nil, let known = host.cache.result(of: procedure, device, host.settings.value.conventions.discoveryCache) {
      return ending(.success(known), air)
    }
    start(Running(procedure: procedure, use: use, call: ending), in: air)
  }

  private func start(_ running: Running, in air: AirCore) {
    guard number != nil else { return }
    procedureCount += 1
    endings[procedureCount] = running
    handle(client.start(running.procedure, id: procedureCount), in: air)
  }

  /// Sends a PDU that has no answer; `false` where the controller takes none, and as many as a phone keeps wait already.
  func send(_ pdu: ATTPDU, in air: AirCore, whenLeft: @escaping (AirCore) -> Void) -> Bool {
    guard let number else { return false }
    guard isStalled else {
      transmit(pdu, on: number, in: air, whenLeft)
      return true
    }
    guard kept.count < host.settings.value.commandRoom else { return false }
    kept.append((pdu, whenLeft))
    return true
  }

  /// Sends a command; it has left the controller when the peripheral has it.
  private func transmit(_ pdu: ATTPDU, on number: Int, in air: AirCore, _ whenLeft: @escaping (AirCore) -> Void) {
    air.send(pdu.bytes, on: number)
    guard let arrival = air.arrivalOfLast(on: number), arrival > air.now else { return whenLeft(air) }
    host.after(arrival.duration(since: air.now), in: air, whenLeft)
  }

  /// The controller takes commands again, or none any more.
  func setCredits(_ areLeft: Bool, in air: AirCore) {
    isStalled = !areLeft
    if areLeft, let number {
      let waiting = kept
      kept = []
      for (pdu, whenLeft) in waiting { transmit(pdu, on: number, in: air, whenLeft) }
    }
    for use in uses { use.setCredits(areLeft, in: air) }
  }

  func receive(_ bytes: [UInt8], in air: AirCore) { handle(client.receive(bytes), in: air) }

  private func handle(_ outputs: [GATTClient.Output], in air: AirCore) {
    for use in uses { use.setMTU(client.mtu) }
    for output in outputs {
      switch output {
      case .send(let bytes):
        guard let number else { return }
        if client.isWaiting, bytes.first.map({ ATTOpcode(rawValue: $0).role }) == .request { watchRequest(in: air) }
        air.send(bytes, on: number)
      case .finished(let id, let result):
        guard let running = endings.removeValue(forKey: id) else { continue }
        if case .success(let success) = result { host.cache.keep(success, of: running.procedure, device) }
        if case .success(.services(let found)) = result { host.note(found.lazy.map(\.uuid), of: device) }
        if pairs(for: running, result, in: air) { continue }
        running.call(result, air)
      case .received(let handle, let value, _):
        let isForThePhone = takeServiceChanged(handle, value, in: air)
        let subscribed = uses.filter { $0.isSubscribed(handle) }
        // A device may tell what nobody asked for; where somebody did, it is for them.
        for use in subscribed.isEmpty && !isForThePhone ? uses : subscribed { use.told(handle, value, in: air) }
      }
    }
  }

  /// A request that gets no answer in time ends the bearer (Core 5.4, Vol 3, Part F, 3.3.3). One look is under way for all of them, for the
  /// earliest.
  private func watchRequest(in air: AirCore) {
    answerEnd = air.now.advanced(by: GATTClient.transactionTimeout)
    if !isWatched { lookForAnswer(at: answerEnd, in: air) }
  }

  private func lookForAnswer(at time: AirInstant, in air: AirCore) {
    isWatched = true
    host.after(time.duration(since: air.now), in: air) { [weak self] air in
      guard let self else { return }
      self.isWatched = false
      guard let number = self.number, self.client.isWaiting else { return }
      guard self.answerEnd <= air.now else { return self.lookForAnswer(at: self.answerEnd, in: air) }
      self.hasTimedOut = true
      air.disconnect(number)
    }
  }

  // MARK: - Pairing

  /// Whether a request waits for a pairing because the peripheral wants one.
  private func pairs(for running: Running, _ result: GATTClient.Result, in air: AirCore) -> Bool {
    guard case .failure(let failure) = result, failure.wantsPairing, running.use != nil, !running.isRepeated, let number else {
      return false
    }
    switch host.settings.value.conventions.pairing {
    case .never: return false
    case .failsMeanwhile:
      guard air.requestPairing(on: number) else { return false }
      running.call(.failure(.att(.insufficientEncryption)), air)
    case .repeats:
      refused.append((running, failure))
      air.requestPairing(on: number)
    }
    return true
  }

  func askWhetherToPair(_ procedure: LinkProcedure, in air: AirCore) {
    var prompt = PairingPrompt(identifier: host.identifier(of: device, in: air), name: host.names.value[device], method: nil)
    if case .pair(let pairing) = procedure { prompt.method = pairing.method }
    promptCount += 1
    let prompted = promptCount
    openPrompt = prompted
    answer(prompted, host.settings.value.pairing(prompt), in: air)
    // Pairing that does not go on for so long has failed, whatever the user does then.
    if openPrompt == prompted { host.after(Self.pairingTimeout, in: air) { [weak self] air in self?.answer(prompted, .refuse, in: air) } }
  }

  private func answer(_ prompted: Int, _ answer: PairingAnswer, in air: AirCore) {
    guard let number, openPrompt == prompted else { return }
    switch answer {
    case .agree, .refuse:
      openPrompt = nil
      air.consent(answer == .agree, on: number)
    case .after(let time, let later): host.after(time, in: air) { [weak self] air in self?.answer(prompted, later, in: air) }
    case .ignore: break
    }
  }

  /// The peripheral did something besides attribute traffic.
  func receive(_ procedure: LinkProcedure, in air: AirCore) { for use in uses { use.channels.receive(procedure, in: air) } }

  func settled(_ procedure: LinkProcedure, _ outcome: LinkProcedure.Outcome, in air: AirCore) {
    for use in uses { use.channelSettled(procedure, outcome, in: air) }
    guard case .pair = procedure else { return }
    if outcome == .success { host.cache.note(isBonded: true, device) }
    guard !refused.isEmpty else { return }
    let waiting = refused
    refused = []
    for (running, failure) in waiting {
      guard outcome == .success else {
        running.call(.failure(failure), air)
        continue
      }
      var again = running
      again.isRepeated = true
      start(again, in: air)
    }
  }

  // MARK: - Words

  /// What was asked for and has not come.
  var waits: [String] {
    let name = host.names.value[device].map { "\"\($0)\"" } ?? uses.first.map { "\($0.identifier)" } ?? "a device"
    guard number != nil else { return uses.isEmpty ? [] : ["a connection to \(name)"] }
    let running = endings.sorted { $0.key < $1.key }.map(\.value) + refused.map(\.running)
    return running.map { "\(words($0.procedure, $0.use)) of \(name)" }
      + uses.flatMap(\.channels.awaited).map { "the channel \($0) of \(name)" }
  }

  private func words(_ procedure: GATTClient.Procedure, _ use: PeripheralLink?) -> String {
    func name(_ handle: AttributeHandle) -> String { use?.attributes.characteristics[handle]?.uuid.uuidString ?? "\(handle)" }
    return switch procedure {
    case .exchangeMTU: "the ATT MTU"
    case .discoverServices: "the services"
    case .discoverIncludedServices: "the included services"
    case .discoverCharacteristics(let start, _): "the characteristics from \(start) on"
    case .discoverDescriptors(let start, _): "the descriptors from \(start) on"
    case .readByType: "a value by its type"
    case .read(let handle): "the value of \(name(handle))"
    case .write(let handle, _): "the answer to a write to \(name(handle))"
    }
  }
}

extension GATTClient.Failure {
  /// Whether the peripheral refused a request for want of pairing or encryption.
  fileprivate var wantsPairing: Bool {
    switch self {
    case .att(.insufficientAuthentication), .att(.insufficientEncryption): true
    default: false
    }
  }
}
