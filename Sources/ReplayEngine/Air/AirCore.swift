import GATTStack
package import ReplayScenarios

/// The radio without I/O, threads or a clock of its own: peripherals, links, timers, faults, and the log of all that happened.
///
/// It is not safe for concurrent use: ``VirtualAir`` owns it behind a lock.
package final class AirCore {
  /// What is to come.
  enum Pending {
    case peripheral(link: Int)
    /// PDUs that are under way arrive.
    case arrival(link: Int)
    case timer(central: any AirCentral, id: Int)
    case advertise(central: any AirCentral, scan: Int)
    /// A connection is made; with the faults that were due for it where they have delayed it.
    case connect(central: any AirCentral, peripheral: Int, attempt: Int, faults: [FaultSet.Due]?)
    /// The time comes of the fault at a place.
    case fault(Int, peripheral: Int?)
    case work(@Sendable (AirCore) -> Void)
    case sleeper(AirSleeper)
  }

  package private(set) var now = AirInstant.start
  package internal(set) var log = AirLog()
  var faults: FaultSet
  /// How many lines the log keeps.
  package var logLimit: Int {
    get { log.limit }
    set { log.limit = newValue }
  }
  /// Calls that faces want made, in order; whoever drives the air makes them.
  package var calls: [DelegateCall] = []
  /// Lines on wrong uses of a face, for the verdict.
  package var misuse: [String] = [] {
    didSet {
      // An app may go wrong without end: the first are kept, the others counted.
      guard misuse.count > SessionReport.limit else {
        if let line = misuse.last { log.note(misuse: line, at: now) }
        return
      }
      furtherMisuse += misuse.count - SessionReport.limit
      misuse.removeLast(misuse.count - SessionReport.limit)
    }
  }
  private(set) var furtherMisuse = 0
  /// Wrong uses for which the framework raises an exception; the verdict fails whatever it is asked for.
  package private(set) var exceptions: [String] = []
  package func noteException(_ line: String) {
    guard exceptions.count < SessionReport.limit else { return }
    exceptions.append(line)
    log.note(misuse: line, at: now)
  }
  /// Faults that wait for the next attempt to connect to a peripheral, and for a link to it to come up.
  var waitingForAttempt: [Int: [FaultSet.Due]] = [:]
  var waitingForLink: [Int: [FaultSet.Due]] = [:]
  /// The centrals of the air, and whether their adapters are on.
  private var centrals: [WeakCentral] = []
  package internal(set) var isPoweredOn = true
  private struct WeakCentral { weak var central: (any AirCentral)? }
  /// How long PDUs take on the links that come up from now on.
  package var timing = LinkTiming.recorded
  /// Rules in code, by the peripheral's number.
  var deviceRules: [Int: [DeviceRule]] = [:]
  /// What links draw their own randomness from.
  var random: SeededRandom
  /// Sessions to play instead of all, by number from 0.
  var chosenSessions: [Int]?

  var expectations: ExpectationBook
  /// Faults of the scenarios that cannot be read, with the reason.
  var wrongFaults: [String] = []
  let peripherals: [VirtualPeripheral]
  var links: [Int: LinkEnd] = [:]
  var linkCount = 0
  var reports = ReportBook()
  /// What the links that have ended played.
  var exercises: [PlayedSession: Exercise] = [:]
  var queue = TimedQueue<Pending>()
  var scans: [ObjectIdentifier: Int] = [:]
  var attempts: [Int: Int] = [:]
  private var lastAttempt = 0
  /// Attempts to connect to peripherals that do not advertise for now.
  var heldAttempts: [Int: Pending] = [:]
  /// How many attempts to connect were begun at the moment of the last one.
  private var attemptsAtOnce = 0
  private var momentOfAttempts = AirInstant.start
  /// So many for each peripheral take no time; more would make an app that comes back at once, and for ever, cost more than it shows.
  private static let attemptsAtOnce = 10
  private var lastScan = 0
  /// Events to come that are no advertising, and when the last of them was handled.
  var otherPending = 0
  private var lastProgress = AirInstant.start

  /// Holds the peripherals of scenarios; `seed` is what all randomness comes from.
  package init(_ scenarios: [Scenario], seed: UInt64 = 0) {
    faults = FaultSet(seed: seed)
    random = SeededRandom(seed: ~seed)
    peripherals = scenarios.enumerated().map { VirtualPeripheral($1, index: $0) }
    expectations = ExpectationBook(scenarios)
    for (peripheral, scenario) in scenarios.enumerated() {
      for text in scenario.faults {
        do {
          var fault = try Fault(text)
          // Those of a scenario are its device's.
          if scenarios.count > 1, fault.peripheral == nil { fault.peripheral = peripheral }
          arm(fault)
        } catch { wrongFaults.append("the fault \(text) of the scenario: \(error)") }
      }
    }
  }

  // MARK: - What a face asks

  package var peripheralCount: Int { peripherals.count }
  package func device(_ peripheral: Int) -> Device { peripherals[peripheral].scenario.device }
  /// The address that a peripheral shows now, and who it is for a central: another number is a device that a central cannot know again.
  package func appearance(_ peripheral: Int) -> (address: BluetoothAddress, own: Int) {
    peripherals[peripheral].appearance(only: chosenSessions)
  }
  package func hasTimed(through time: AirInstant) -> Bool { queue.next.map { $0 <= time } ?? false }

  /// The signal's strength of a peripheral in dBm.
  package func rssi(_ peripheral: Int) -> Int { peripherals[peripheral].rssi }

  /// Makes a central known to the air; faults that its face cannot have are refused.
  package func attach(_ central: any AirCentral) {
    centrals.removeAll { $0.central == nil }
    guard !centrals.contains(where: { $0.central === central }) else { return }
    centrals.append(WeakCentral(central: central))
    if let face = central.face { refuseFaults(impossibleOn: face) }
  }

  /// The centrals that are still there.
  var presentCentrals: [any AirCentral] { centrals.compactMap(\.central) }

  /// Reports advertising to the central until it stops: each device's packet and scan response once an interval.
  package func startScanning(_ central: any AirCentral) {
    attach(central)
    guard isPoweredOn else { return }
    lastScan += 1
    expectations.note(.scan, of: nil, at: now)
    scans[ObjectIdentifier(central)] = lastScan
    queue.add(.advertise(central: central, scan: lastScan), at: now.advanced(by: .milliseconds(1)))
  }

  package func stopScanning(_ central: any AirCentral) { scans[ObjectIdentifier(central)] = nil }

  /// Begins a connection; the outcome comes as an event.
  package func connect(_ central: any AirCentral, to peripheral: Int) {
    attach(central)
    guard isPoweredOn else { return }
    expectations.note(.attempt, of: peripheral, at: now)
    attempt(central, peripheral, faults: nil, after: pause(before: peripheral))
  }

  /// How long an attempt to connect waits: an app that tries again at once, and fails each time, must not keep time from going on.
  private func pause(before peripheral: Int) -> Duration {
    if momentOfAttempts != now { (momentOfAttempts, attemptsAtOnce) = (now, 0) }
    attemptsAtOnce += 1
    guard attemptsAtOnce > peripherals.count * Self.attemptsAtOnce else { return .zero }
    return max(.milliseconds(20), peripherals[peripheral].advertising.interval)
  }

  func attempt(_ central: any AirCentral, _ peripheral: Int, faults: [FaultSet.Due]?, after delay: Duration) {
    add(begin(central, peripheral, faults: faults), at: now.advanced(by: delay))
  }

  /// Makes an attempt that takes the place of any earlier one.
  func begin(_ central: any AirCentral, _ peripheral: Int, faults: [FaultSet.Due]?) -> Pending {
    lastAttempt += 1
    attempts[peripheral] = lastAttempt
    return .connect(central: central, peripheral: peripheral, attempt: lastAttempt, faults: faults)
  }

  /// Gives up a connection that has not come about.
  package func cancelConnection(to peripheral: Int) { attempts[peripheral] = nil }

  /// Does something besides attribute traffic; what asks for the peripheral's consent is settled by an event.
  package func perform(_ procedure: LinkProcedure, on link: Int) {
    guard let end = links[link], !end.isEnding else { return }
    log.add(.procedure(fromCentral: true, procedure), link: link, at: now)
    end.clock?.note(procedure, at: now)
    act(on: end) { $0.perform(procedure, at: now, faults: &$1, outputs: &$2) }
  }

  /// Asks for a pairing, as a central does that was refused something for want of it; one that the recorded central's stack is about to
  /// begin is waited for. Whether the user agrees is asked by an event; how it came out is told by another. Tells whether a pairing goes on.
  @discardableResult
  package func requestPairing(on link: Int) -> Bool {
    guard let end = links[link], !end.isEnding else { return false }
    act(on: end) { $0.requestPairing(at: now, outputs: &$2) }
    return end.connection.isPairing
  }

  /// Tells whether the user agrees to the pairing that was asked about.
  package func consent(_ isGiven: Bool, on link: Int) {
    guard let end = links[link], !end.isEnding else { return }
    act(on: end) { $0.consent(isGiven, at: now, faults: &$1, outputs: &$2) }
  }

  /// Whether the peripheral has lost the keys that the central has for it.
  package func hasLostBond(_ link: Int) -> Bool { links[link]?.connection.hasLostBond ?? false }

  /// Has a connection do something, and does what it asks for.
  func act(
    on end: LinkEnd, _ body: (PeripheralConnection, inout FaultSet, inout [PeripheralConnection.Output]) -> Void
  ) {
    var outputs: [PeripheralConnection.Output] = []
    body(end.connection, &faults, &outputs)
    deliver(outputs, of: end)
    arm(end)
  }

  /// The central's user has it forget a peripheral, which keeps no keys of a central that pairs anew either.
  package func forgetBond(with peripheral: Int) {
    (peripherals[peripheral].bond.isForgotten, peripherals[peripheral].bond.isForgottenByCentral) = (true, true)
  }

  /// Whether both ends of a link had keys for each other when it came up.
  package func isBonded(_ link: Int) -> Bool {
    links[link].map { $0.connection.session.session.bonded && !$0.connection.bond.isForgotten } ?? false
  }

  /// The number under which an app's next channel for a protocol is opened.
  package func nextChannel(psm: UInt16, on link: Int) -> Int { links[link]?.connection.nextChannel(psm: psm) ?? 1 }

  /// Tells the peripheral how what it asked for came out.
  package func settle(_ procedure: LinkProcedure, _ outcome: LinkProcedure.Outcome, on link: Int) {
    guard let end = links[link], !end.isEnding else { return }
    log.add(.outcome(fromCentral: true, procedure, outcome), link: link, at: now)
    act(on: end) { $0.settle(procedure, outcome, at: now, faults: &$1, outputs: &$2) }
  }

  /// Ends a link from the central's side.
  package func disconnect(_ link: Int, reason: HCIErrorCode = .connectionTerminatedByLocalHost) {
    close(link, reason: reason, tell: true)
  }

  /// Forgets a link without an event, for a recording that ends in the middle of it.
  package func drop(_ link: Int) { close(link, reason: nil, tell: false) }

  /// Wakes the central at `time`.
  package func setTimer(_ central: any AirCentral, at time: AirInstant, id: Int) {
    add(.timer(central: central, id: id), at: max(time, now))
  }

  /// Does `work` at the present moment, after what is due before it.
  package func enqueue(_ work: @escaping @Sendable (AirCore) -> Void) { add(.work(work), at: now) }

  /// Ends all that goes on and drops all that is to come: the test is over.
  func close() {
    for link in links.keys.sorted() { close(link, reason: nil, tell: false) }
    queue = TimedQueue()
    (calls, scans, attempts, heldAttempts, centrals, otherPending) = ([], [:], [:], [:], [], 0)
  }

  /// Does `work` at a moment that is not before the present one.
  func enqueue(_ work: @escaping @Sendable (AirCore) -> Void, at time: AirInstant) { add(.work(work), at: max(now, time)) }

  package func arm(_ fault: Fault) {
    if let peripheral = fault.peripheral, !peripherals.indices.contains(peripheral) {
      return wrongFaults.append("the fault \(fault) is for peripheral \(peripheral &+ 1), and the air has \(peripherals.count)")
    }
    guard let place = faults.arm(fault) else { return }
    for face in Fault.Face.allCases where presentCentrals.contains(where: { $0.face == face }) { refuseFaults(impossibleOn: face) }
    if case .time(let time) = fault.trigger, !fault.isOff {
      add(.fault(place, peripheral: fault.peripheral), at: max(now, AirInstant.start.advanced(by: time)))
    }
  }

  // MARK: - Time

  package var isScanning: Bool { !scans.isEmpty }

  /// Whether, for `limit`, there was nothing but advertising, and nothing else is to come.
  package func onlyAdvertises(for limit: Duration) -> Bool {
    otherPending == 0 && now.duration(since: lastProgress) > limit
  }

  /// The moment of the next event; `nil` where nothing is to come.
  package var nextDeadline: AirInstant? { queue.next }

  /// Wakes `sleeper` at `time`.
  func add(_ sleeper: AirSleeper, until time: AirInstant) { add(.sleeper(sleeper), at: max(now, time)) }

  /// Forgets a sleeper, so that its moment does not keep the air from coming to rest.
  func remove(_ sleeper: AirSleeper) {
    otherPending -= queue.removeAll { if case .sleeper(let other) = $0, other === sleeper { true } else { false } }
  }

  /// Moves the clock to `limit` or to the next event, if that is earlier, and handles one event there; `false` where there was none.
  @discardableResult
  package func step(through limit: AirInstant = AirInstant(nanoseconds: .max)) -> Bool {
    guard let (time, pending) = queue.pop(through: limit) else { return false }
    now = max(now, time)
    if case .advertise = pending {
    } else {
      otherPending -= 1
      lastProgress = now
    }
    switch pending {
    case .peripheral(let link):
      guard let end = links[link] else { return true }
      if end.wakeUps.last == time { end.wakeUps.removeLast() }
      act(on: end) { $0.wake(at: now, faults: &$1, outputs: &$2) }
    case .arrival(let link):
      guard let end = links[link] else { return true }
      if end.arrivalWakeUp == time { end.arrivalWakeUp = nil }
      flow(of: end, fromCentral: true)
      flow(of: end, fromCentral: false)
    case .timer(let central, let id): central.handle(.timer(id), in: self)
    case .advertise(let central, let scan): advertise(to: central, scan: scan)
    case .connect(let central, let peripheral, let attempt, let dues):
      guard attempts[peripheral] == attempt else { return true }
      guard !peripherals[peripheral].isQuiet else {
        hold(central, peripheral, faults: dues)
        return true
      }
      attempts[peripheral] = nil
      establish(central, peripheral, dues)
    case .fault(let place, let peripheral): happen(atTimeOf: place, of: peripheral)
    case .work(let work): work(self)
    case .sleeper(let sleeper): sleeper.end()
    }
    return true
  }

  /// Moves the clock to `time` where no event is before it.
  package func advance(to time: AirInstant) { now = max(now, time) }

  func add(_ pending: Pending, at time: AirInstant, rank: Int = 0) {
    otherPending += 1
    queue.add(pending, at: time, rank: rank)
  }

  /// Has the peripheral woken when it next has something to do.
  func arm(_ end: LinkEnd) {
    guard let deadline = end.connection.nextDeadline, links[end.number] === end else { return }
    // One that comes before arms again; without this every PDU would leave one more behind.
    if let next = end.wakeUps.last, next <= deadline { return }
    end.wakeUps.append(deadline)
    add(.peripheral(link: end.number), at: deadline, rank: end.number)
  }

  // MARK: - Advertising

  private func advertise(to central: any AirCentral, scan: Int) {
    guard scans[ObjectIdentifier(central)] == scan else { return }
    var interval = Duration.milliseconds(100)
    // What has a link does not advertise.
    let connected = Set(links.values.lazy.filter { !$0.connection.isSilent }.map(\.connection.report.peripheral))
    for (index, peripheral) in peripherals.enumerated() {
      let advertising = peripheral.advertising
      interval = min(interval, max(.milliseconds(20), advertising.interval))
      guard !connected.contains(index) else { continue }
      if !peripheral.isQuiet { happenWhileAdvertising(index) }
      if peripheral.isQuiet { continue }
      for (data, isScanResponse) in [(advertising.data, false)] + (advertising.scanResponse.map { [($0, true)] } ?? []) {
        guard scans[ObjectIdentifier(central)] == scan else { return }
        central.handle(
          .advertisement(
            peripheral: index, address: peripheral.appearance(only: chosenSessions).address, data: data, isScanResponse: isScanResponse,
            isConnectable: advertising.connectable, rssi: peripheral.rssi), in: self)
      }
    }
    queue.add(.advertise(central: central, scan: scan), at: now.advanced(by: interval))
  }

  // MARK: - Verdict

  /// Reports of all sessions that were played, those still going on included, in the order of their links.
  package var sessionReports: [SessionReport] {
    (reports.kept + links.values.map { $0.connection.finishedReport() }).sorted { $0.link < $1.link }
  }

  /// The app, or its test, came to a point.
  package func mark(_ name: String) { expectations.note(.mark(name), of: nil, at: now) }

  /// What the scenarios expect and did not get.
  var unmetExpectations: [String] {
    var book = expectations
    for end in links.values { book.note(silenceFrom: end.lastTraffic, to: now, of: end.connection.report.peripheral) }
    return book.failures
  }

  package var scenarios: [Scenario] { peripherals.map(\.scenario) }
  package var firedFaults: [Fault] { faults.firedFaults }
  var firings: ([FaultFiring], further: Int) { (faults.firings, faults.furtherFirings) }
  package var unfiredFaults: [Fault] { faults.unfiredFaults }
}
