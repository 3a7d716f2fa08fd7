import CoreBluetooth

/// What the documents' first sample was told of its services: their UUIDs, or the error.
enum BLECentralProbe {
  nonisolated(unsafe) static var services: [[String]] = []

  static func told(_ peripheral: CBPeripheral, _ error: (any Error)?) {
    services.append(error.map { ["\($0)"] } ?? (peripheral.services ?? []).map(\.uuid.uuidString))
  }
}
