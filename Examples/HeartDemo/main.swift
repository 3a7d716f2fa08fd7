import Foundation
import HeartApp
import ReplayEngine
import ReplayScenarios

/// Runs the example app against a scenario, as it is and with the link lost after the third heart rate, and prints both verdicts.
let path = CommandLine.arguments.dropFirst().first ?? "scenarios/heart-strap.json5"
do {
  for fault in [nil, Fault(.disconnect(.connectionTimeout), at: .after(.notification("2A37", count: 3)))] {
    let air = try VirtualAir(.file(path), seed: 7)
    if let fault { air.inject(fault) }
    try VirtualAir.$current.withValue(air) {
      let app = HeartCentral()
      try air.run(until: app.isIdle)
      print("HeartCentral \(fault.map { "with \($0)" } ?? "without a fault"):")
      print("  heart rates: \(app.heartRates.map(String.init).joined(separator: " "))")
      print("  \(app.manufacturer ?? "?"), battery \(app.battery.map { "\($0) %" } ?? "?"), disconnections: \(app.disconnections.count)")
      print("  \(air.verdict)".replacing("\n", with: "\n  "))
    }
    if !air.verdict.passed { exit(1) }
  }
} catch {
  FileHandle.standardError.write(Data("heart-demo: \(error)\n".utf8))
  exit(3)
}
