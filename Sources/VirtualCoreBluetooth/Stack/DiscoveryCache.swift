import BLEWire
import GATTStack

/// What a phone remembers of devices' attributes over connections; only touched inside the air's lock.
struct DiscoveryCache {
  private struct Memory {
    var isBonded = false
    var hasServiceChanged = false
    var databaseHash: [UInt8]?
    var results: [GATTClient.Procedure: GATTClient.Success] = [:]
  }
  private var devices: [DeviceKey: Memory] = [:]
  /// So many results of a device are kept.
  private static let limit = 1000

  mutating func note(isBonded: Bool, _ device: DeviceKey) { devices[device, default: Memory()].isBonded = isBonded }

  mutating func noteServiceChanged(of device: DeviceKey) { devices[device, default: Memory()].hasServiceChanged = true }

  func hasHash(of device: DeviceKey) -> Bool { devices[device]?.databaseHash != nil }

  /// Forgets what is known of a device's attributes where their hash is another than the last time.
  mutating func note(databaseHash hash: [UInt8], of device: DeviceKey) {
    if let known = devices[device]?.databaseHash, known != hash { forget(device) }
    devices[device, default: Memory()].databaseHash = hash
  }

  /// Keeps what a discovery found.
  mutating func keep(_ success: GATTClient.Success, of procedure: GATTClient.Procedure, _ device: DeviceKey) {
    guard procedure.isDiscovery, devices[device]?.results.count ?? 0 < Self.limit else { return }
    devices[device, default: Memory()].results[procedure] = success
  }

  /// Forgets what is known of a device's attributes.
  mutating func forget(_ device: DeviceKey) {
    devices[device]?.results = [:]
    devices[device]?.databaseHash = nil
  }

  /// What a discovery found before, where the phone trusts that.
  func result(
    of procedure: GATTClient.Procedure, _ device: DeviceKey, _ convention: VirtualPhone.Conventions.DiscoveryCache
  ) -> GATTClient.Success? {
    guard procedure.isDiscovery, let memory = devices[device] else { return nil }
    switch convention {
    case .bonded where memory.isBonded, .bondedOrStatic where memory.isBonded || !memory.hasServiceChanged: break
    default: return nil
    }
    if let known = memory.results[procedure] { return known }
    // Who knows all services knows those with one UUID.
    guard case .discoverServices(let uuid?) = procedure, case .services(let all)? = memory.results[.discoverServices(nil)] else {
      return nil
    }
    return .services(all.filter { $0.uuid == uuid })
  }
}

extension GATTClient.Procedure {
  fileprivate var isDiscovery: Bool {
    switch self {
    case .discoverServices, .discoverIncludedServices, .discoverCharacteristics, .discoverDescriptors: true
    case .exchangeMTU, .read, .readByType, .write: false
    }
  }
}
