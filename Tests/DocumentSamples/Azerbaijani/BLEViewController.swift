// The first part is the text of a document, as it stands there.
// swift-format-ignore-file
import CoreBluetooth

extension BLEViewController: CBPeripheralDelegate {

    // 1. Servis discovery-si
    func peripheral(_ peripheral: CBPeripheral,
                     didDiscoverServices error: Error?) {
        guard let services = peripheral.services else { return }

        for service in services {
            // Hər servis üçün xarakteristikaların tələbi
            peripheral.discoverCharacteristics(nil, for: service)
        }
    }

    // 2. Xarakteristika discovery-si
    func peripheral(_ peripheral: CBPeripheral,
                     didDiscoverCharacteristicsFor service: CBService,
                     error: Error?) {
        guard let characteristics = service.characteristics else { return }

        for characteristic in characteristics {
            if characteristic.properties.contains(.read) {
                peripheral.readValue(for: characteristic)
            }
            if characteristic.properties.contains(.notify) {
                peripheral.setNotifyValue(true, for: characteristic)
            }
        }
    }

    // 3. Dəyərin oxunması
    func peripheral(_ peripheral: CBPeripheral,
                     didUpdateValueFor characteristic: CBCharacteristic,
                     error: Error?) {
        guard let data = characteristic.value,
              let value = String(data: data, encoding: .utf8)
        else { return }
        print("Characteristic value: \(value)")
    }
}

// What the sample presumes and does not show; on a phone it is a view controller.
final class BLEViewController: NSObject {}
