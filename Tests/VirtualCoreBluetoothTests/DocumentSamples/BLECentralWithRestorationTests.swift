import CoreBluetooth
import Foundation
import ReplayTesting
import XCTest

@testable import DocumentSamplesPersian
@testable import DocumentSamplesTurkish
@testable import DocumentSamplesUzbek

private protocol Sample: CBCentralManagerDelegate {
  var restoreIdentifier: String { get }
}
extension DocumentSamplesUzbek.BLECentralWithRestoration: Sample {}
extension DocumentSamplesPersian.BLECentralWithRestoration: Sample {}
extension DocumentSamplesTurkish.BLECentralWithRestoration: Sample {}

/// Row 0 of section 5: what the system kept of the app is given back before the first state.
final class BLECentralWithRestorationTests: ReplayTestCase {
  private func run<App: Sample>(_ make: () -> App) throws {
    let air = VirtualAir(scenarios: [try HeartFromCaptureTests.scenario("heart-strap")])
    defer { air.close() }
    try VirtualAir.$current.withValue(air) {
      // The sample does not connect by itself: whoever does is the app before the system ended it.
      let options: [String: Any] = [CBCentralManagerOptionRestoreIdentifierKey: make().restoreIdentifier]
      let before = RecordingApp.connecting(managerOptions: options)
      try air.run(until: before.has("discovered"))
      air.phone.terminateApp()
      air.advance(by: .seconds(1))

      let app = make()
      let manager = try XCTUnwrap(CallRecorder.stored("centralManager", of: app) as CBCentralManager?)
      let recorder = CallRecorder(manager, app)
      air.advance(by: .seconds(1))
      XCTAssertEqual(
        recorder.calls,
        [
          "willRestoreState connected", "centralManagerDidUpdateState poweredOn",
          "didDiscoverServices 1800 1801 180D 180F 180A 5A0E0001",
        ])
      XCTAssertEqual(air.verdict.sessions.count, 1, "the link went on meanwhile")
    }
  }

  func testUzbek() throws { try run { DocumentSamplesUzbek.BLECentralWithRestoration() } }
  func testPersian() throws { try run { DocumentSamplesPersian.BLECentralWithRestoration() } }
  func testTurkish() throws { try run { DocumentSamplesTurkish.BLECentralWithRestoration() } }
}
