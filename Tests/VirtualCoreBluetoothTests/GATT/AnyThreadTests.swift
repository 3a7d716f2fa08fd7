import CoreBluetooth
import Foundation
import ReplayTesting
import XCTest

/// Apps look at peripherals and attributes from any thread while the air runs (6.1, "every delegate call comes on the given queue").
final class AnyThreadTests: StrapTestCase {
  func testObjectsMayBeLookedAtFromAnyThread() throws {
    let (app, peripheral) = try connectedApp()
    let stop = Guarded(false)
    let looks = Guarded(0)
    let done = DispatchGroup()
    for _ in 0..<3 {
      done.enter()
      Thread.detachNewThread {
        while !stop.value {
          looks.withValue { $0 += Self.look(at: peripheral) }
          // A busy thread would keep the air waiting.
          Thread.sleep(forTimeInterval: 0.001)
        }
        done.leave()
      }
    }
    for round in 0..<3 {
      let pulse = try XCTUnwrap(app.characteristics["2A37"])
      let (long, control) = try (XCTUnwrap(app.characteristics["FFE3"]), XCTUnwrap(app.characteristics["2A39"]))
      peripheral.setNotifyValue(true, for: pulse)
      peripheral.discoverDescriptors(for: pulse)
      peripheral.readValue(for: long)
      peripheral.readRSSI()
      for service in peripheral.services ?? [] { peripheral.discoverIncludedServices(nil, for: service) }
      for number in UInt8(0)..<40 { peripheral.writeValue(Data([number]), for: control, type: .withoutResponse) }
      try air.run(until: long.value?.count == 300 && pulse.isNotifying && pulse.descriptors?.count == 4)
      for descriptor in pulse.descriptors ?? [] { peripheral.readValue(for: descriptor) }
      air.advance(by: .seconds(1))
      app.hangUp()
      try air.run(until: peripheral.state == .disconnected)
      XCTAssertFalse(pulse.isNotifying)
      app.connectAgain()
      try air.run(until: app.calls.filter { $0 == "discovered" }.count == round + 2)
    }
    stop.value = true
    done.wait()
    XCTAssertGreaterThan(looks.value, 0)
    XCTAssertEqual(air.verdict.misuse, [])
  }

  private static func look(at peripheral: CBPeripheral) -> Int {
    var seen = peripheral.description.count + (peripheral.name?.count ?? 0) + (peripheral.rssi?.intValue ?? 0)
    seen += peripheral.state.rawValue + peripheral.maximumWriteValueLength(for: .withoutResponse)
    seen += peripheral.canSendWriteWithoutResponse ? 1 : 0
    seen += peripheral.delegate == nil ? 0 : 1
    for service in peripheral.services ?? [] {
      seen += (service.includedServices?.count ?? 0) + (service.isPrimary ? 1 : 0) + (service.peripheral === peripheral ? 1 : 0)
      for characteristic in service.characteristics ?? [] {
        seen += (characteristic.value?.count ?? 0) + (characteristic.isNotifying ? 1 : 0) + characteristic.description.count
        seen += characteristic.service === service ? 1 : 0
        for descriptor in characteristic.descriptors ?? [] {
          seen += descriptor.value == nil ? 0 : 1
          seen += descriptor.characteristic === characteristic ? 1 : 0
        }
      }
    }
    return max(1, seen)
  }
}
