import GATTStack
import ReplayScenarios

/// What entries of the peripheral's wait for besides other entries: time, silence, a number of writes; and what calls them off.
extension PeripheralConnection {
  /// Lets an entry begin when its delay is over, counted from `now`; one that waits already waits anew.
  func wait(_ entry: Int, from now: AirInstant) {
    let delay = session.entries[entry].anchor?.delay ?? session.stackDelays[entry] ?? .zero
    schedule.add(.begin(entry, turn: waiting.add(entry)), at: now.advanced(by: delay), rank: entry)
  }

  /// Lets the next entry that waits for silence begin when there was enough of it.
  func awaitSilence() { if nextIdle < session.idle.count { wait(session.idle[nextIdle], from: lastTraffic) } }

  /// Whether an entry waits for silence and there was traffic meanwhile; it then waits on.
  func isHeldByTraffic(_ entry: Int, at now: AirInstant) -> Bool {
    guard let anchor = session.entries[entry].anchor, anchor.cause == .idle, lastTraffic.advanced(by: anchor.delay) > now else {
      return false
    }
    wait(entry, from: lastTraffic)
    return true
  }

  /// The central wrote to an attribute: what that ends is called off, and what waits for so many writes begins.
  func written(_ handle: AttributeHandle, at now: AirInstant) {
    waiting.write(handle)
    for entry in counts.write(handle, in: session) { wait(entry, from: now) }
  }

  /// Keeps what a CCCD write set.
  func subscribe(_ descriptor: AttributeHandle, _ value: [UInt8], after latency: Duration? = nil, at now: AirInstant? = nil) {
    guard value.count == 2 else { return }
    let bits = UInt16(value[0]) | UInt16(value[1]) << 8
    let before = configuration[descriptor, default: 0]
    let (isEnd, isBeginning) = (before & ~bits & 3 != 0, bits & ~before & 3 != 0)
    configuration[descriptor] = bits
    configurationOfBond.remove(descriptor)
    server.database.setValue(value, at: descriptor)
    guard let attribute = attributes.valueOfConfiguration[descriptor] else { return }
    if isEnd { waiting.unsubscribe(attribute) }
    if isBeginning, let now { subscribed(attribute, after: latency ?? .zero, at: now) }
  }

  /// Keeps what a CCCD write sets: what it subscribes to at once, and what it ends when its response goes out after `latency`, for
  /// until then values may still be on their way.
  func configure(_ descriptor: AttributeHandle, _ value: [UInt8], after latency: Duration?, at now: AirInstant) {
    let bits = value.count == 2 ? UInt16(value[0]) | UInt16(value[1]) << 8 : 3
    guard configuration[descriptor, default: 0] & ~bits & 3 != 0 else { return subscribe(descriptor, value, after: latency, at: now) }
    configuration[descriptor, default: 0] |= bits
    schedule.add(.configure(descriptor, value), at: now.advanced(by: latency ?? .zero), rank: -1)
  }

  /// Has CCCDs read as what they hold.
  func showConfiguration() {
    for (descriptor, value) in configuration.all {
      server.database.setValue([UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)], at: descriptor)
    }
  }

  /// What the device kept of subscriptions goes with the bond; those of this link stay.
  func forgetConfigurationOfBond() {
    for descriptor in configurationOfBond {
      configuration[descriptor] = nil
      server.database.setValue([0, 0], at: descriptor)
    }
    configurationOfBond = []
  }

  /// How long a central waits for a peripheral that fell silent; `nil` where nothing tells.
  var supervisionTimeout: Duration? {
    timing.supervisionTimeout ?? updatedSupervisionTimeout ?? session.session.parameters.map { .milliseconds(Int($0.timeout) * 10) }
  }
}
