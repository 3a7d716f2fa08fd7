import ReplayScenarios

/// A device of one scenario: its advertising, and the session that the next connection plays.
final class VirtualPeripheral {
  let scenario: Scenario
  /// The attributes of each database.
  let maps: [AttributeMap]
  let sessions: [CompiledSession]
  /// The address that stands for the device: its identity where it rotates others.
  let identity: BluetoothAddress
  /// Who the device is for a central, session by session, by number from 0: one that a central cannot recognize is somebody else.
  private let selves: [Int]
  /// What CCCDs held, and the attributes among which they stood.
  typealias Subscriptions = (configuration: HandleTable<UInt16>, attributes: AttributeMap)
  /// Those of the link that ended last, where the device keeps them.
  private var kept: Subscriptions?
  /// What the next link begins with; they go with the bond (Core 5.4, Vol 3, Part G, 3.3.3.3).
  var subscriptions: Subscriptions? { bond.isForgotten ? nil : kept }
  /// The session of the next connection, and what that was before the last one.
  private var nextSession = 0
  private var sessionBefore = 0
  let bond: BondMemory
  /// Where its attributes are since they were moved.
  var handleShift: HandleShift?
  /// The signal's strength since it changed, in dBm.
  var signalStrength: Int?
  /// Until when it neither advertises nor takes a connection.
  var quietUntil: AirInstant?
  var isQuiet: Bool { quietUntil != nil }
  /// What it shows since it rotated its address; another number is another device for a central.
  private var rotated: (address: BluetoothAddress, own: Int)?
  private var rotations = 0

  /// `index` makes the address of a device whose own is not known.
  init(_ scenario: Scenario, index: Int) {
    self.scenario = scenario
    bond = BondMemory(scenario)
    let maps = scenario.databases.map(AttributeMap.init)
    self.maps = maps
    sessions = scenario.sessions.enumerated().map { CompiledSession($1, index: $0, maps: maps) }
    identity = scenario.device.address ?? BluetoothAddress(0xC0DE_0000_0000 | UInt64(index + 1), kind: .random)
    selves = Self.selves(scenario, identity)
  }

  /// With a bond a central resolves the addresses of a device, without one it knows them only by having seen them.
  private static func selves(_ scenario: Scenario, _ identity: BluetoothAddress) -> [Int] {
    var seen: [BluetoothAddress: Int] = [:]
    var (selves, count): ([Int], Int) = ([], 0)
    for session in scenario.sessions {
      let address = session.address ?? identity
      let known = session.bonded ? selves.last : nil
      let own = known ?? seen[address] ?? count
      count = max(count, own + 1)
      seen[address] = own
      selves.append(own)
    }
    return selves
  }

  /// The session that the next connection plays, by number from 0; `nil` where the scenario has none.
  private func upcoming(only chosen: [Int]?) -> Int? {
    guard let chosen else {
      return nextSession < sessions.count ? nextSession : sessions.lastIndex { $0.session.failed == nil }
    }
    return chosen.dropFirst(nextSession).first { sessions.indices.contains($0) }
      ?? chosen.last { sessions.indices.contains($0) && sessions[$0].session.failed == nil }
  }

  /// The address that a central sees now, and who the device is for it.
  func appearance(only chosen: [Int]? = nil) -> (address: BluetoothAddress, own: Int) {
    if let rotated { return rotated }
    guard let next = upcoming(only: chosen) else { return (identity, 0) }
    return (sessions[next].session.address ?? identity, selves[next])
  }

  /// Shows another private address from here on: with `resolvable` the same device for a central that has its key.
  func rotateAddress(resolvable: Bool, only chosen: [Int]? = nil) {
    let own = appearance(only: chosen).own
    rotations += 1
    var random = SeededRandom(seed: identity.value &+ UInt64(rotations))
    // The two highest bits tell the kind of private address (Core 5.4, Vol 6, Part B, 1.3.2.2).
    let address = random.next() & 0x3FFF_FFFF_FFFF | (resolvable ? 0x4000_0000_0000 : 0)
    // Sessions have the numbers below.
    rotated = (BluetoothAddress(address, kind: .random), resolvable ? own : scenario.sessions.count + rotations)
  }

  /// The signal's strength in dBm.
  var rssi: Int { signalStrength ?? advertising.rssi }

  /// A link ended with these CCCD values.
  func keep(_ configuration: HandleTable<UInt16>, of attributes: AttributeMap) {
    if scenario.device.keepsSubscriptions { kept = (configuration, attributes) }
  }

  /// What the next connection gets: a session, or the status with which the attempt fails. After the last session that
  /// came about, it is repeated; a scenario without one plays an empty session.
  func beginSession(only chosen: [Int]? = nil) -> (session: CompiledSession, failure: HCIErrorCode?) {
    let order = chosen ?? Array(sessions.indices)
    sessionBefore = nextSession
    while nextSession < order.count {
      defer { nextSession += 1 }
      guard sessions.indices.contains(order[nextSession]) else { continue }
      let session = sessions[order[nextSession]]
      return (session, session.session.failed)
    }
    let established = order.last { sessions.indices.contains($0) && sessions[$0].session.failed == nil }
    return (established.map { sessions[$0] } ?? CompiledSession(Session(), index: sessions.count, maps: maps), nil)
  }

  /// The connection that began a session last was not established: the next one plays what it was to play.
  func giveBackSession() { nextSession = sessionBefore }

  /// Sessions that were recorded before `session` and came about.
  func sessions(before session: Int) -> [CompiledSession] { sessions.filter { $0.index < session && $0.session.failed == nil } }

  /// The advertising packet that a central sees; made from the name where the scenario has none.
  var advertising: Advertising {
    scenario.device.advertising
      ?? Advertising(
        data: [0x02, 0x01, 0x06],
        scanResponse: scenario.device.name.map { name in
          let utf8 = Array(name.utf8.prefix(29))
          return [UInt8(utf8.count + 1), 0x09] + utf8
        }, provenance: .inferred)
  }
}
