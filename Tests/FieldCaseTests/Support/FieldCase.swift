import CoreBluetooth
import Foundation
import ReplayTesting
import TestSupport
import XCTest

/// Runs apps against the scenarios of `scenarios/field`.
class FieldCase: ReplayTestCase {
  /// Reads one of the scenarios.
  func scenario(_ name: String) throws -> Scenario {
    try Scenario.read(file: Repository.root.appending(path: "scenarios/field/\(name).json5").path)
  }

  /// Makes an air with a scenario, changed by `prepare`, and has `body` run an app on it; what it tells its user is marked.
  @discardableResult
  func run<App: FieldApp>(
    _ scenario: Scenario, seed: UInt64 = 0, prepare: (VirtualAir) throws -> Void = { _ in }, _ makeApp: () -> App,
    _ body: (App, VirtualAir) throws -> Void
  ) throws -> (app: App, air: VirtualAir) {
    let air = VirtualAir(scenarios: [scenario], seed: seed)
    defer { air.close() }
    try prepare(air)
    return try VirtualAir.$current.withValue(air) {
      let app = makeApp()
      app.tell = { [weak air] in air?.mark($0) }
      try body(app, air)
      return (app, air)
    }
  }

  /// Holds that an app does not stand a scenario, and that the verdict says why with these words.
  func assertFails(_ air: VirtualAir, _ words: String..., file: StaticString = #filePath, line: UInt = #line) {
    let verdict = air.verdict
    for word in words {
      XCTAssertTrue(verdict.failures.contains { $0.contains(word) }, "no failure says \"\(word)\": \(verdict)", file: file, line: line)
    }
  }
}

extension VirtualAir {
  /// The ATT PDUs of all links with their times, in order.
  var pdus: [(time: AirInstant, link: Int, fromCentral: Bool, bytes: [UInt8])] {
    log.lines.compactMap { line in
      if case .pdu(let fromCentral, let bytes, _) = line.event { (line.time, line.link, fromCentral, bytes) } else { nil }
    }
  }

  /// When attempts to connect ended, well or not, in seconds.
  var attempts: [Double] {
    log.lines.compactMap { line in
      switch line.event {
      case .connected, .connectionFailed: Double(line.time.nanoseconds) / 1e9
      default: nil
      }
    }
  }
}
