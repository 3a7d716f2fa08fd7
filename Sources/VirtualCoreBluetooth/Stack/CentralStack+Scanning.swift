import BLEWire
import Foundation
import ReplayEngine

/// What a manager's scan looks for, and what it was told.
struct ScanState {
  /// What an app asked for besides services.
  struct Options: Sendable, Equatable {
    var duplicates = false
    var solicited: [BluetoothUUID] = []

    /// In the framework's keys.
    var dictionary: [String: Any] {
      var all: [String: Any] = [CBCentralManagerScanOptionAllowDuplicatesKey: NSNumber(value: duplicates)]
      if !solicited.isEmpty { all[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] = solicited.map { CBUUID($0) } }
      return all
    }
  }

  let services: [BluetoothUUID]
  let options: Options
  /// Which of the manager's scans it is.
  let number: Int
  private let wanted: Set<BluetoothUUID>
  private let solicited: Set<BluetoothUUID>
  /// By device: its packets so far, and what was told of them.
  private var heard: [DeviceKey: Heard] = [:]

  private struct Heard {
    var data: [UInt8] = []
    var scanResponse: [UInt8]?
    var told: [[UInt8]] = []
    var isWanted = false
    /// So many packets of a device are told apart.
    static let limit = 16
  }

  init(services: [BluetoothUUID], options: Options, number: Int) {
    (self.services, self.options, self.number) = (services, options, number)
    (wanted, solicited) = (Set(services.map(\.shortened)), Set(options.solicited.map(\.shortened)))
  }

  /// Takes a packet; tells what the device has shown where the app is to hear of it.
  mutating func hear(_ device: DeviceKey, _ packet: [UInt8], isScanResponse: Bool, duplicates: Bool) -> AdvertisingData? {
    var heard = heard[device] ?? Heard()
    if isScanResponse { heard.scanResponse = packet } else { heard.data = packet }
    // Each for itself: zeros or a broken structure at the end of one hide nothing of the other.
    var parsed = AdvertisingData(parsing: heard.data)
    parsed.structures += AdvertisingData(parsing: heard.scanResponse ?? []).structures
    heard.isWanted = wants(parsed)
    // Without duplicates a device is told again when there is more to tell: its packet, then its scan response.
    let isNew = !heard.told.contains(packet)
    if heard.isWanted, isNew, heard.told.count < Heard.limit { heard.told.append(packet) }
    self.heard[device] = heard
    guard heard.isWanted, isNew || duplicates else { return nil }
    return parsed
  }

  private func wants(_ parsed: AdvertisingData) -> Bool {
    if wanted.isEmpty, solicited.isEmpty { return true }
    return parsed.serviceUUIDs.contains { wanted.contains($0.shortened) }
      || parsed.solicitedServiceUUIDs.contains { solicited.contains($0.shortened) }
  }
}

extension CentralStack {
  var isScanningNow: Bool { scan != nil }

  func scan(services: [BluetoothUUID], options: ScanState.Options) {
    isScanning.value = true
    let number = scanCount.withValue { count in
      count += 1
      return count
    }
    air.enqueue { air in
      guard self.host.state(in: air) == .poweredOn else { return self.isScanning.value = false }
      self.scan = ScanState(services: services, options: options, number: number)
      air.startScanning(self.host)
    }
  }

  func stopScan() {
    isScanning.value = false
    air.enqueue { air in
      self.scan = nil
      self.updateScan(in: air)
    }
  }

  /// The phone scans for as long as one manager does.
  func updateScan(in air: AirCore) { if !host.clients.contains(where: \.isScanningNow) { air.stopScanning(host) } }

  func heard(
    _ device: DeviceKey, _ packet: [UInt8], isScanResponse: Bool, isConnectable: Bool, rssi: Int, in air: AirCore
  ) {
    guard let options = scan?.options, let number = scan?.number else { return }
    let isInBackground = host.settings.value.isInBackground
    // In the background a scan for everything finds nothing, and duplicates are left out.
    if isInBackground, scan?.services.isEmpty ?? true { return }
    let duplicates = options.duplicates && !isInBackground
    guard let shown = scan?.hear(device, packet, isScanResponse: isScanResponse, duplicates: duplicates) else { return }
    host.note(shown.serviceUUIDs, of: device)
    let peripheral = peripheral(device, in: air)
    let name = host.heard(shown.localName, of: device)
    tell("didDiscover", in: air) { manager in
      if let name { peripheral.guardedName.value = name }
      // What an earlier scan found may be nothing that the present one looks for.
      guard manager.isScanning, self.scanCount.value == number else { return }
      manager.delegate?.centralManager(
        manager, didDiscover: peripheral,
        advertisementData: AdvertisementDictionary.make(shown, isConnectable: isConnectable),
        rssi: NSNumber(value: rssi))
    }
  }
}
