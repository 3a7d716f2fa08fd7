// The first part is the text of a document, as it stands there.
// swift-format-ignore-file
import CoreBluetooth

class BLEController: NSObject,
    CBCentralManagerDelegate {

    private var centralManager: CBCentralManager!

    override init() {
        super.init()
        centralManager =
            CBCentralManager(
                delegate: self,
                queue: nil
            )
    }

    func startScanning() {
        let serviceUUID =
            CBUUID(string: "180F") // Batareya Xidməti

        centralManager.scanForPeripherals(
            withServices: [serviceUUID],
            options: [
                CBCentralManagerScanOptionAllowDuplicatesKey: false
            ]
        )
    }
}

// Parts of the class that the document shows by themselves.
extension BLEController {
// BLE cihazına qoşul
func connectToPeripheral(
    _ peripheral: CBPeripheral
) {
    centralManager.connect(peripheral, options: nil)

    // Peripheral üçün delegat təyin et
    peripheral.delegate = self
}

// Delegat: uğurlu qoşulma
func centralManager(
    _ central: CBCentralManager,
    didConnect peripheral: CBPeripheral
) {
    print("Qoşuldu: " +
          "\(peripheral.name ?? "unknown")")

    // Xidmət aşkarlanmasına başla
    peripheral.discoverServices(nil)
}

// Delegat: qoşulma xətası
func centralManager(
    _ central: CBCentralManager,
    didFailToConnect peripheral: CBPeripheral,
    error: Error?
) {
    print("Connection failed: \(error?.localizedDescription ?? "")")
}

// Avtomatik yenidən qoşulma ilə ayrılmanın idarə edilməsi
func centralManager(
    _ central: CBCentralManager,
    didDisconnectPeripheral peripheral: CBPeripheral,
    error: Error?
) {
    guard let error = error else {
        return // Gözlənilən ayrılma
    }

    print("Disconnected: \(error.localizedDescription)")

    // Avtomatik yenidən qoşulma
    if shouldAutoReconnect {
        DispatchQueue.main.asyncAfter(
            deadline: .now() + reconnectDelay
        ) {
            central.connect(peripheral)
        }
    }
}
}

// What the sample presumes and does not show.
extension BLEController: CBPeripheralDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn { startScanning() }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any], rssi RSSI: NSNumber
  ) {
    central.stopScan()
    connectToPeripheral(peripheral)
  }

  var shouldAutoReconnect: Bool { true }
  var reconnectDelay: TimeInterval { 3 }
}
