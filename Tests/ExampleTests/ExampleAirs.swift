import Foundation
import ReplayTesting
import TestSupport

extension ScenarioSource {
  /// One of the project's scenarios.
  static func project(_ name: String) -> ScenarioSource { .file(Repository.root.appending(path: "scenarios/\(name).json5").path) }
}

extension VirtualAir {
  /// How many seconds of the air's clock there were between each end of a link, or failed attempt, and the attempt that followed it.
  var waits: [Double] {
    var waits: [Double] = []
    var lastEnd: AirInstant?
    for line in log.lines {
      switch line.event {
      case .connected, .connectionFailed:
        if let lastEnd { waits.append(Double(line.time.nanoseconds - lastEnd.nanoseconds) / 1e9) }
        if case .connected = line.event { lastEnd = nil } else { lastEnd = line.time }
      case .disconnected: lastEnd = line.time
      default: break
      }
    }
    return waits
  }
}
