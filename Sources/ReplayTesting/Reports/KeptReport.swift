import Foundation
import ReplayEngine
import ReplayReports
import Testing

#if canImport(ObjectiveC)
  import XCTest
#endif

/// What is kept of a test that failed, to be looked at later: the page, the log and the scenarios, or the result of a sweep.
struct KeptReport {
  /// Names of files, and what is in them.
  private(set) var files: [(name: String, bytes: [UInt8])] = []

  /// Of a run.
  init(of test: String, _ air: VirtualAir) {
    let (verdict, log, scenarios) = (air.verdict, air.log, air.scenarios)
    let report = Report(title: test, runs: [Report.Run(name: test, verdict: verdict, scenarios: scenarios, log: log)])
    // Each argument of a parametrised test has files of its own.
    let fault = (verdict.faultsFired + verdict.faultsNotReached).first.map { "-\($0)" } ?? ""
    let name = Self.fileName(test + fault)
    files = [("\(name).html", report.document(.html)), ("\(name).log", Array(log.text.utf8))]
    for (number, scenario) in scenarios.enumerated() {
      files.append(("\(name)\(scenarios.count > 1 ? "-\(number + 1)" : "").json5", scenario.document()))
    }
  }

  /// Of a sweep, or of a shard of one.
  init(of test: String, _ result: SweepResult, _ shard: Shard, _ scenarios: [Scenario]) {
    let report = Report(title: test, sweeps: [result], sweptScenarios: scenarios)
    let name = Self.fileName(test) + (shard == .whole ? "" : "-shard-\(shard.index)-of-\(shard.count)")
    files = [("\(name).html", report.document(.html)), ("\(name).json", report.document(.json)), ("\(name).xml", report.document(.junit))]
  }

  private static func fileName(_ test: String) -> String {
    let plain = test.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") ? $0 : "-" }
    // The end of a long name tells one from another.
    return String(String(plain).split(separator: "-").joined(separator: "-").suffix(120))
  }

  /// Writes all to the folder that `UNDERSTUDY_REPORTS` names, where it names one.
  func write(environment: [String: String] = ProcessInfo.processInfo.environment) throws {
    guard let path = environment["UNDERSTUDY_REPORTS"], !path.isEmpty else { return }
    let folder = URL(fileURLWithPath: path)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for file in files { try Data(file.bytes).write(to: folder.appendingPathComponent(file.name), options: .atomic) }
  }

  /// Attaches all to the running test of Swift Testing.
  func attachToTest() { for file in files { Attachment.record(file.bytes, named: file.name) } }

  #if canImport(ObjectiveC)
    /// As attachments of XCTest.
    var attachments: [XCTAttachment] {
      files.map { file in
        let attachment = XCTAttachment(
          data: Data(file.bytes), uniformTypeIdentifier: file.name.hasSuffix(".html") ? "public.html" : "public.text")
        attachment.name = file.name
        return attachment
      }
    }
  #endif
}
