import BLEWire
import Foundation

/// An advertiser's packets in the keys and types of Apple's framework.
enum AdvertisementDictionary {
  static func make(_ parsed: AdvertisingData, isConnectable: Bool) -> [String: Any] {
    var result: [String: Any] = [CBAdvertisementDataIsConnectable: NSNumber(value: isConnectable)]
    if let name = parsed.localName { result[CBAdvertisementDataLocalNameKey] = name }
    let services = parsed.serviceUUIDs.map { CBUUID($0) }
    if !services.isEmpty { result[CBAdvertisementDataServiceUUIDsKey] = services }
    let solicited = parsed.solicitedServiceUUIDs.map { CBUUID($0) }
    if !solicited.isEmpty { result[CBAdvertisementDataSolicitedServiceUUIDsKey] = solicited }
    if let manufacturer = parsed.manufacturerData { result[CBAdvertisementDataManufacturerDataKey] = Data(manufacturer) }
    if let power = parsed.txPowerLevel { result[CBAdvertisementDataTxPowerLevelKey] = NSNumber(value: power) }
    let serviceData = parsed.serviceData
    if !serviceData.isEmpty {
      result[CBAdvertisementDataServiceDataKey] = Dictionary(
        serviceData.map { (CBUUID($0.uuid), Data($0.data)) }, uniquingKeysWith: { first, _ in first })
    }
    return result
  }
}
