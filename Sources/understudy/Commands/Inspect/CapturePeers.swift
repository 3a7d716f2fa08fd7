import SessionReconstruction

/// One device that a capture's host was connected with.
struct CapturePeer {
  var address: BluetoothAddress
  /// Whether the capture tells who it is.
  var isKnown: Bool { address != .unknown }
  var isLowEnergy: Bool
  var name: String?
  /// Services of the device, by what discovery told on any of its links.
  var services: [BluetoothUUID]
  var links: [Link]
  /// Addresses that it used besides, in the order of their use.
  var addresses: [BluetoothAddress] {
    links.reduce(into: []) { used, link in
      if let next = link.usedAddress, next.value != address.value, !used.contains(next) { used.append(next) }
    }
  }
  /// Attributes that the traffic used and whose types no discovery told; `nil` where there is no attribute traffic.
  var unknownHandles: [AttributeHandle]?

  /// Whether its scenario plays to any central that discovers, or only to the recorded one; `nil` where it has no attribute traffic.
  var playability: String? {
    guard let unknownHandles else { return nil }
    if unknownHandles.isEmpty, !services.isEmpty { return "to any central" }
    let shown = unknownHandles.prefix(4).map(\.description).joined(separator: " ")
    let reason =
      services.isEmpty
      ? "its services were not discovered" : "no UUID of \(shown)\(unknownHandles.count > 4 ? " and \(unknownHandles.count - 4) more" : "")"
    return "to its recorded central only: \(reason); see extract --gatt"
  }

  /// The devices of a capture in the order of their first connection.
  static func all(of capture: Reconstruction) -> [CapturePeer] {
    var peers: [CapturePeer] = []
    var places: [Key: Int] = [:]
    for link in capture.links {
      let address = link.identity ?? link.peer
      let key = Key(address, isLowEnergy: link.isLowEnergy)
      // Two connections whose peers the capture does not tell are two devices, as far as anybody knows.
      if let place = places[key], !link.isImplicit {
        peers[place].links.append(link)
      } else {
        places[key] = peers.count
        peers.append(CapturePeer(address: address, isLowEnergy: link.isLowEnergy, name: nil, services: [], links: [link]))
      }
    }
    let names = names(of: capture)
    for index in peers.indices {
      var database = DiscoveredDatabase()
      for link in peers[index].links {
        if let discovered = link.databases[link.peerRole] { database.merge(discovered) }
      }
      peers[index].services = database.sorted.compactMap { if case .service(let uuid, true, _) = $0.declaration { uuid } else { nil } }
      peers[index].unknownHandles = unknown(peers[index].links, database)
      let addresses = [peers[index].address] + peers[index].addresses
      peers[index].name = addresses.lazy.compactMap { names[Key($0, isLowEnergy: peers[index].isLowEnergy)] }.first
    }
    return peers
  }

  private static func unknown(_ links: [Link], _ database: DiscoveredDatabase) -> [AttributeHandle]? {
    guard links.contains(where: { $0.attPDUs > 0 && $0.peerRole == .peripheral }) else { return nil }
    var known: Set<AttributeHandle> = []
    for (handle, declaration) in database.sorted {
      known.insert(handle)
      if case .characteristic(_, _, let value) = declaration { known.insert(value) }
    }
    return Set(links.flatMap(\.usedHandles.handles)).subtracting(known).sorted()
  }

  /// An address without the difference between a device address and a resolved identity.
  private struct Key: Hashable {
    let value: UInt64
    let isRandom: Bool
    let isLowEnergy: Bool
    init(_ address: BluetoothAddress, isLowEnergy: Bool) {
      (value, isRandom, self.isLowEnergy) = (address.value, address.kind.rawValue & 1 == 1, isLowEnergy)
    }
  }

  private static func names(of capture: Reconstruction) -> [Key: String] {
    var names: [Key: String] = [:]
    for advertiser in capture.advertisers.values.sorted(by: { $0.address.kind.rawValue < $1.address.kind.rawValue }) {
      if let name = advertiser.name { names[Key(advertiser.address, isLowEnergy: true)] = name }
    }
    return names
  }
}

extension Link {
  /// The peer's address, or that it is not known.
  var peerText: String { isImplicit ? "unknown" : peer.description }

  /// How it ended, in words.
  var ending: String {
    if let endReason { return endReason.description }
    return endFrame == nil ? "capture ends" : "lost without an event"
  }
}

extension BluetoothAddress {
  /// The type in words, as the JSON output has it.
  var typeName: String {
    switch kind {
    case .publicDevice: "public"
    case .random: "random"
    case .publicIdentity: "public identity"
    case .randomIdentity: "random identity"
    case .classic: "BR/EDR"
    case .anonymous: "anonymous"
    default: "type \(kind.rawValue)"
    }
  }

  /// The address with its type, for people.
  var labelled: String { "\(self) \(randomKind.map { "\(typeName), \($0.rawValue)" } ?? typeName)" }
}
