import Foundation
import ReplayReports
import ReplayScenarios
import TestSupport
import Testing

@testable import ReplayEngine

/// The pages that docs/reports.md shows: the shipped heart strap met by an app that goes wrong.
struct DocumentedPages {
  private static let folder = ProcessInfo.processInfo.environment["UNDERSTUDY_PAGES"]

  private static func scenario() throws -> Scenario {
    try Scenario.read(file: Repository.root.appending(path: "scenarios/heart-strap.json5").path)
  }

  /// Has a central that goes by one scenario meet a device that goes by another.
  private static func run(_ played: Scenario, against device: Scenario, _ faults: [Fault]) -> Report.Run {
    let air = AirCore([device], seed: 7)
    for fault in faults { air.arm(fault) }
    let central = RecordedCentral(played, sessions: nil)
    central.start(in: air)
    while air.step() {}
    let verdict = Verdict(air, seed: 7, failOn: [.substituted, .unused])
    return Report.Run(name: "reconnects", verdict: verdict, seconds: 0.041, scenarios: [device], log: air.log)
  }

  private static func report() throws -> Report {
    let device = try scenario()
    var played = device
    let control = AttributeHandle(0x0011)
    let place = try #require(played.sessions[0].entries.firstIndex { $0.action == .write(control, [1]) })
    played.sessions[0].entries[place].action = .write(control, [2])
    played.sessions[0].entries.removeAll { $0.action == .read(AttributeHandle(0x0014)) }
    let fault = try Fault("duplicate@before:notification:2A37#10")
    return Report(title: "heart strap", runs: [run(played, against: device, [fault])])
  }

  private static func sweep() throws -> Report {
    let scenario = try scenario()
    let points = FaultPoint.all(.disconnect(.connectionTimeout), in: scenario)
    let results = points.enumerated().map { number, point in
      let verdict = ScenarioReplay(scenario, faults: [point.fault], seed: 7).verdict
      var result = SweepResult.Point(number: number, point: point, outcome: .passed, verdict: "\(verdict)", seconds: 0.012)
      if (8...11).contains(number) {
        result.outcome = .failed
        result.failures = ["expected a connection 2 times within 5000 ms: it came once"]
        result.verdict = verdict.description.replacingOccurrences(of: "passed", with: "FAILED") + "\n  failure: \(result.failures[0])"
      } else if number == 14 {
        result.outcome = .trapped
        result.failures = ["the process ended by signal 5"]
      } else if number > 24 {
        result.outcome = .notReached
      }
      return result
    }
    return Report(
      title: "heart strap", sweeps: [SweepResult(name: "Heart Strap", seed: 7, count: points.count, points: results)],
      sweptScenarios: [scenario])
  }

  /// The run diverges as the page is to show, whether or not pictures are taken of it.
  @Test func theRunDiverges() throws {
    let report = try Self.report()
    let verdict = try #require(report.runs[0].verdict)
    #expect(verdict.sessions[0].substitutions.count == 1 && verdict.faultsFired.count == 1 && !verdict.passed)
    let page = String(decoding: report.html, as: UTF8.self)
    #expect(page.contains("another value: 2A39 (0x0011)") && page.contains("was not made: Read Request 2A19 (0x0014)"))
  }

  @Test(.enabled(if: folder != nil, "UNDERSTUDY_PAGES names no folder")) func writeThem() throws {
    let folder = try #require(Self.folder)
    try Self.report().write(to: "\(folder)/run.html")
    try Self.sweep().write(to: "\(folder)/sweep.html")
  }
}
