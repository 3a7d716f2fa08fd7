import GATTStack
package import ReplayScenarios

/// The radio without I/O, threads or a clock of its own: peripherals, links, timers, faults, and the log of all that happened.
///
/// It is not safe for concurrent use: ``VirtualAir`` owns it behind a lock.
package final class AirCore {
  /// What is to come.
  private enum Pending {
    case peripheral(link: Int)
    case timer(central: any AirCentral, id: Int)
    case advertise(central: any AirCentral, scan: Int)
    case connect(central: any AirCentral, peripheral: Int, attempt: Int)
    case fault(Duration)
    case work(@Sendable (AirCore) -> Void)
    case sleeper(AirSleeper)
  }

  final class LinkEnd {
    let central: any AirCentral
    let connection: PeripheralConnection
    var pdus = 0
    /// The moments of the wake-ups that are on the queue, the earliest last; each is earlier than the one below it.
    var wakeUps: [AirInstant] = []
    /// Whether the link's end is decided: what the central sends now goes nowhere.
    var isEnding = false
    init(central: any AirCentral, connection: PeripheralConnection) { (self.central, self.connection) = (central, connection) }
  }

  package private(set) var now = AirInstant.start
  package internal(set) var log = AirLog()
  private var faults = FaultSet()
  /// Calls that faces want made, in order; whoever drives the air makes them.
  package var calls: [DelegateCall] = []
  /// Lines on wrong uses of a face, for the verdict.
  package var misuse: [String] = [] {
    didSet {
      // An app may go wrong without end: the first are kept, the others counted.
      guard misuse.count > SessionReport.limit else { return }
      furtherMisuse += misuse.count - SessionReport.limit
      misuse.removeLast(misuse.count - SessionReport.limit)
    }
  }
  private(set) var furtherMisuse = 0
  /// Sessions to play instead of all, by number from 0.
  var chosenSessions: [Int]?

  private var expectations: ExpectationBook
  /// Faults of the scenarios that cannot be read, with the reason.
  private(set) var wrongFaults: [String] = []
  private let peripherals: [VirtualPeripheral]
  private(set) var links: [Int: LinkEnd] = [:]
  private var linkCount = 0
  private var reports: [SessionReport] = []
  private var queue = TimedQueue<Pending>()
  private var scans: [ObjectIdentifier: Int] = [:]
  private var attempts: [Int: Int] = [:]
  private var lastAttempt = 0
  private var lastScan = 0
  /// Events to come that are no advertising, and when the last of them was handled.
  private var otherPending = 0
  private var lastProgress = AirInstant.start

  package init(_ scenarios: [Scenario]) {
    peripherals = scenarios.enumerated().map { VirtualPeripheral($1, index: $0) }
    expectations = ExpectationBook(scenarios)
    for text in scenarios.flatMap(\.faults) {
      do { arm(try Fault(text)) } catch { wrongFaults.append("the fault \(text) of the scenario: \(error)") }
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

  /// Reports advertising to the central until it stops: each device's packet and scan response once an interval.
  package func startScanning(_ central: any AirCentral) {
    lastScan += 1
    expectations.note(.scan, of: nil, at: now)
    scans[ObjectIdentifier(central)] = lastScan
    queue.add(.advertise(central: central, scan: lastScan), at: now.advanced(by: .milliseconds(1)))
  }

  package func stopScanning(_ central: any AirCentral) { scans[ObjectIdentifier(central)] = nil }

  /// Begins a connection; the outcome comes as an event.
  package func connect(_ central: any AirCentral, to peripheral: Int) {
    lastAttempt += 1
    attempts[peripheral] = lastAttempt
    add(.connect(central: central, peripheral: peripheral, attempt: lastAttempt), at: now)
  }

  /// Gives up a connection that has not come about.
  package func cancelConnection(to peripheral: Int) { attempts[peripheral] = nil }

  /// Sends an ATT PDU to the peripheral.
  package func send(_ bytes: [UInt8], on link: Int, bearer: Int = 0) {
    guard let end = links[link], !end.isEnding else { return }
    log.add(.pdu(fromCentral: true, bytes, bearer: bearer), link: link, at: now)
    if !expectations.isEmpty {
      expectations.note(bytes, of: end.connection.report.peripheral, at: now) { end.connection.attributes.valueOfConfiguration[$0] }
    }
    var outputs: [PeripheralConnection.Output] = []
    end.pdus += 1
    end.connection.receive(bytes, bearer: bearer, at: now, faults: &faults, outputs: &outputs)
    let number = end.pdus
    deliver(outputs, of: end, link: link)
    if links[link] != nil, let due = faults.pdu(number) { injected(due, link: link) }
    arm(link)
  }

  /// Does something besides attribute traffic; what asks for the peripheral's consent is settled by an event.
  package func perform(_ procedure: LinkProcedure, on link: Int) {
    guard let end = links[link], !end.isEnding else { return }
    log.add(.procedure(fromCentral: true, procedure), link: link, at: now)
    var outputs: [PeripheralConnection.Output] = []
    end.connection.perform(procedure, at: now, faults: &faults, outputs: &outputs)
    deliver(outputs, of: end, link: link)
    arm(link)
  }

  /// Tells the peripheral how what it asked for came out.
  package func settle(_ procedure: LinkProcedure, _ outcome: LinkProcedure.Outcome, on link: Int) {
    guard let end = links[link], !end.isEnding else { return }
    log.add(.outcome(fromCentral: true, procedure, outcome), link: link, at: now)
    var outputs: [PeripheralConnection.Output] = []
    end.connection.settle(procedure, outcome, at: now, faults: &faults, outputs: &outputs)
    deliver(outputs, of: end, link: link)
    arm(link)
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

  /// Does `work` at a moment that is not before the present one.
  func enqueue(_ work: @escaping @Sendable (AirCore) -> Void, at time: AirInstant) { add(.work(work), at: max(now, time)) }

  package func arm(_ fault: Fault) {
    faults.arm(fault)
    if case .time(let time) = fault.trigger { add(.fault(time), at: max(now, AirInstant.start.advanced(by: time))) }
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
      var outputs: [PeripheralConnection.Output] = []
      end.connection.wake(at: now, faults: &faults, outputs: &outputs)
      deliver(outputs, of: end, link: link)
      arm(link)
    case .timer(let central, let id): central.handle(.timer(id), in: self)
    case .advertise(let central, let scan): advertise(to: central, scan: scan)
    case .connect(let central, let peripheral, let attempt):
      guard attempts[peripheral] == attempt else { return true }
      attempts[peripheral] = nil
      establish(central, peripheral)
    case .fault(let time):
      // A time at which no link is up passes without the fault.
      if let link = links.keys.min(), let due = faults.time(time) { injected(due, link: link) }
    case .work(let work): work(self)
    case .sleeper(let sleeper): sleeper.end()
    }
    return true
  }

  /// Moves the clock to `time` where no event is before it.
  package func advance(to time: AirInstant) { now = max(now, time) }

  private func add(_ pending: Pending, at time: AirInstant, rank: Int = 0) {
    otherPending += 1
    queue.add(pending, at: time, rank: rank)
  }

  private func arm(_ link: Int) {
    guard let end = links[link], let deadline = end.connection.nextDeadline else { return }
    // One that comes before arms again; without this every PDU would leave one more behind.
    if let next = end.wakeUps.last, next <= deadline { return }
    end.wakeUps.append(deadline)
    add(.peripheral(link: link), at: deadline, rank: link)
  }

  // MARK: - Links

  private func establish(_ central: any AirCentral, _ index: Int) {
    let peripheral = peripherals[index]
    if let due = faults.phase(.connecting), case .disconnect(let reason) = due.action {
      fail(central, index, reason, fault: due.fault)
      return
    }
    let (session, failure) = peripheral.beginSession(only: chosenSessions)
    if let failure {
      fail(central, index, failure, fault: nil)
      return
    }
    linkCount += 1
    let report = SessionReport(link: linkCount, peripheral: index, session: session.index)
    let connection = PeripheralConnection(
      scenario: peripheral.scenario, maps: peripheral.maps, session: session,
      earlier: peripheral.sessions(before: session.index), kept: peripheral.subscriptions,
      centralPerforms: central.performsProcedures, report: report)
    let link = linkCount
    links[link] = LinkEnd(central: central, connection: connection)
    log.add(.connected(peripheral: index, session: session.index), link: link, at: now)
    expectations.note(.connect, of: index, at: now)
    connection.open(at: now)
    arm(link)
    central.handle(.connected(link: link, peripheral: index), in: self)
  }

  private func fail(_ central: any AirCentral, _ index: Int, _ reason: HCIErrorCode, fault: Fault?) {
    if let fault { log.add(.fault(fault), link: 0, at: now) }
    log.add(.connectionFailed(peripheral: index, reason), link: 0, at: now)
    central.handle(.connectionFailed(peripheral: index, reason), in: self)
  }

  private func deliver(_ outputs: [PeripheralConnection.Output], of end: LinkEnd, link: Int) {
    end.isEnding = outputs.contains { if case .end = $0 { true } else { false } }
    for output in outputs {
      guard links[link] != nil else { return }
      switch output {
      case .send(let bytes, let bearer):
        log.add(.pdu(fromCentral: false, bytes, bearer: bearer), link: link, at: now)
        end.pdus += 1
        let due = faults.pdu(end.pdus)
        if due != nil { end.isEnding = true }
        end.central.handle(.received(link: link, bytes, bearer: bearer), in: self)
        if let due { injected(due, link: link) }
      case .procedure(let procedure, let side):
        log.add(.procedure(fromCentral: side == .central, procedure), link: link, at: now)
        if side == .peripheral { end.central.handle(.procedure(link: link, procedure), in: self) }
      case .settled(let procedure, let outcome, let side):
        log.add(.outcome(fromCentral: side == .central, procedure, outcome), link: link, at: now)
        if side == .peripheral, end.central.performsProcedures {
          end.central.handle(.settled(link: link, procedure, outcome), in: self)
        }
      case .end(let reason, let fault):
        if let fault { log.add(.fault(fault), link: link, at: now) }
        close(link, reason: reason, tell: true)
      }
    }
  }

  private func injected(_ due: FaultSet.Due, link: Int) {
    guard let end = links[link] else { return }
    var outputs: [PeripheralConnection.Output] = []
    _ = end.connection.end(due, &outputs)
    deliver(outputs, of: end, link: link)
  }

  private func close(_ link: Int, reason: HCIErrorCode?, tell: Bool) {
    guard let end = links.removeValue(forKey: link) else { return }
    end.connection.close()
    peripherals[end.connection.report.peripheral].keep(end.connection.configuration)
    if !end.wakeUps.isEmpty {
      // What is to come for a link that is gone must not keep the air from coming to rest.
      otherPending -= queue.removeAll { if case .peripheral(link) = $0 { true } else { false } }
    }
    reports.append(end.connection.finishedReport())
    guard let reason else { return }
    log.add(.disconnected(reason), link: link, at: now)
    expectations.note(.disconnect, of: end.connection.report.peripheral, at: now)
    if tell { end.central.handle(.disconnected(link: link, reason), in: self) }
  }

  private func advertise(to central: any AirCentral, scan: Int) {
    guard scans[ObjectIdentifier(central)] == scan else { return }
    var interval = Duration.milliseconds(100)
    for (index, peripheral) in peripherals.enumerated() {
      let advertising = peripheral.advertising
      interval = min(interval, max(.milliseconds(20), advertising.interval))
      guard !links.values.contains(where: { $0.connection.report.peripheral == index && !$0.connection.isSilent }) else { continue }
      for (data, isScanResponse) in [(advertising.data, false)] + (advertising.scanResponse.map { [($0, true)] } ?? []) {
        guard scans[ObjectIdentifier(central)] == scan else { return }
        central.handle(
          .advertisement(
            peripheral: index, address: peripheral.appearance(only: chosenSessions).address, data: data, isScanResponse: isScanResponse,
            isConnectable: advertising.connectable, rssi: advertising.rssi), in: self)
      }
    }
    queue.add(.advertise(central: central, scan: scan), at: now.advanced(by: interval))
  }

  // MARK: - Verdict

  /// Reports of all sessions that were played, those still going on included, in the order of their links.
  package var sessionReports: [SessionReport] {
    (reports + links.values.map { $0.connection.finishedReport() }).sorted { $0.link < $1.link }
  }

  /// The app, or its test, came to a point.
  package func mark(_ name: String) { expectations.note(.mark(name), of: nil, at: now) }

  /// What the scenarios expect and did not get.
  var unmetExpectations: [String] { expectations.failures }

  package var scenarios: [Scenario] { peripherals.map(\.scenario) }
  package var firedFaults: [Fault] { faults.firedFaults }
  package var unfiredFaults: [Fault] { faults.unfiredFaults }
}
