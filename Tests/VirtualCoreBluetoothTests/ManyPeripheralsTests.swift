import CoreBluetooth
import Foundation
import ReplayTesting
import XCTest

/// A thousand devices in one air, each of which advertises ten times a second.
final class ManyPeripheralsTests: ReplayTestCase {
  private static let count = 1000

  override func makeAir() throws -> VirtualAir {
    VirtualAir(
      scenarios: (0..<Self.count).map { number in
        Scenario(
          device: Device(
            name: "Beacon \(number)",
            advertising: Advertising(data: [2, 1, 6], scanResponse: nil, interval: .milliseconds(100), rssi: -60)))
      })
  }

  private final class Scanner: NSObject, CBCentralManagerDelegate {
    private var manager: CBCentralManager?
    let duplicates: Bool
    private(set) var told: [UUID: Int] = [:]
    private(set) var order: [UUID] = []

    init(duplicates: Bool) {
      self.duplicates = duplicates
      super.init()
      manager = CBCentralManager(delegate: self, queue: nil)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
      central.scanForPeripherals(withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: duplicates])
    }

    func centralManager(
      _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any], rssi RSSI: NSNumber
    ) {
      told[peripheral.identifier, default: 0] += 1
      order.append(peripheral.identifier)
    }
  }

  /// The first packets come a millisecond after the scan began, at 50 ms.
  func testEveryPacketOfEachIsTold() throws {
    let app = Scanner(duplicates: true)
    air.advance(by: .seconds(1))
    XCTAssertEqual(app.told.count, Self.count)
    XCTAssertEqual(Set(app.told.values), [10])
    // In each round all of them, in the same order.
    let first = app.order.prefix(Self.count)
    for round in 1..<10 { XCTAssertTrue(app.order.dropFirst(round * Self.count).prefix(Self.count).elementsEqual(first)) }
  }

  func testWithoutDuplicatesEachIsToldOnce() throws {
    let app = Scanner(duplicates: false)
    air.advance(by: .seconds(1))
    XCTAssertEqual(app.told.count, Self.count)
    XCTAssertEqual(Set(app.told.values), [1])
  }
}
