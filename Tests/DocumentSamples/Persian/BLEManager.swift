// The first part is the text of a document, as it stands there.
// swift-format-ignore-file
import CoreBluetooth

// مدیر جهانی BLE برای مرکزی و پیرامونی
class BLEManager {

    enum Role {
        case central
        case peripheral
    }

    private let role: Role
    private var centralManager: CBCentralManager?
    private var peripheralManager: CBPeripheralManager?
    let advertisedServiceUUID = CBUUID(string: "A001")

    init(role: Role) {
        self.role = role
        switch role {
        case .central:
            centralManager = CBCentralManager(delegate: nil, queue: .main)
        case .peripheral:
            peripheralManager = CBPeripheralManager(delegate: nil, queue: .main)
        }
    }

    // دستگاه مرکزی: اسکن
    func scanForDevices() {
        centralManager?.scanForPeripherals(withServices: nil, options: nil)
    }

    // دستگاه پیرامونی: تبلیغات
    func advertiseService() {
        let data: [String: Any] = [
            CBAdvertisementDataServiceUUIDsKey: [advertisedServiceUUID]
        ]
        peripheralManager?.startAdvertising(data)
    }
}

// A program's first lines, which only its main file may have, stand in a function.
func startProgram() -> BLEManager {
// استفاده در شروع کار
let isCentral = UserDefaults.standard.bool(forKey: "isCentral")
let manager = BLEManager(role: isCentral ? .central : .peripheral)

if isCentral {
    manager.scanForDevices()
} else {
    manager.advertiseService()
}
return manager
}

// What the sample presumes besides: the peripheral's role, which stands in for a class of the framework here.
final class CBPeripheralManager {
  init(delegate: AnyObject?, queue: DispatchQueue?) {}
  func startAdvertising(_ advertisementData: [String: Any]?) {}
}
