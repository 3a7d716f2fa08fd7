import BLECrypto
import CaptureFiles

/// The identity resolving keys that a capture tells or its reader was given, and the devices that they stand for.
///
/// Source: Core 5.4, Vol 6, Part B, 1.3.2.
struct IdentityTable {
  private struct Entry {
    var key: [UInt8]
    /// The device's identity; `nil` where nothing tells it.
    var identity: BluetoothAddress?
  }

  /// More keys than this, which no host has, are left out.
  private static let limit = 64
  private var entries: [Entry] = []

  /// The keys, the most significant octet of each first.
  var keys: [[UInt8]] { entries.map(\.key) }

  /// Takes a key, the most significant octet first, with the identity that it stands for where that is known.
  mutating func add(_ key: [UInt8], _ identity: BluetoothAddress?) {
    // Devices without privacy have a key of zeros.
    guard key.count == 16, key.contains(where: { $0 != 0 }) else { return }
    let known = identity.flatMap { $0.value == 0 ? nil : $0.identity }
    if let place = entries.firstIndex(where: { $0.key == key }) {
      if entries[place].identity == nil { entries[place].identity = known }
    } else if entries.count < Self.limit {
      entries.append(Entry(key: key, identity: known))
    }
  }

  /// Says of each link who its peer is, where a key or the controller tells.
  mutating func resolve(_ states: inout [LinkState], log: inout FindingLog) {
    for state in states {
      for keys in [state.link.pairing?.central?.keys, state.link.pairing?.peripheral?.keys] {
        if let key = keys?.identityResolvingKey { add(key, keys?.identity) }
      }
    }
    let resolvers = entries.compactMap { entry in AddressResolver(key: entry.key).map { (entry: entry, resolver: $0) } }
    var identities: [BluetoothAddress: BluetoothAddress?] = [:]
    // Where only the key is known, the first address made with it stands for the device.
    var first: [[UInt8]: BluetoothAddress] = [:]
    for place in states.indices where states[place].link.isLowEnergy && !states[place].link.isImplicit {
      let peer = states[place].link.peer
      if peer.kind == .publicIdentity || peer.kind == .randomIdentity {
        states[place].link.identity = peer.identity
        continue
      }
      guard peer.kind == .random, peer.randomKind == .resolvable else { continue }
      if let known = identities[peer] {
        states[place].link.identity = known
        continue
      }
      var identity: BluetoothAddress?
      if let match = resolvers.first(where: { $0.resolver.resolves(peer) }) {
        identity = match.entry.identity ?? first[match.entry.key] ?? peer
        if first[match.entry.key] == nil { first[match.entry.key] = peer }
      }
      identities[peer] = .some(identity)
      states[place].link.identity = identity
    }
    let unresolved = identities.values.count { $0 == nil }
    guard unresolved > 1 else { return }
    log.add(
      .unresolvedAddress, .note, frame: nil,
      "\(unresolved) peers have resolvable private addresses that no key resolves: if some are one device, --irk KEY with its identity "
        + "resolving key joins them")
  }
}

extension BluetoothAddress {
  /// The same address as its device has it, not as a controller that resolved it tells.
  fileprivate var identity: BluetoothAddress { BluetoothAddress(value, kind: Kind(rawValue: kind.rawValue & 1)) }
}
