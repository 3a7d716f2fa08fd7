import Foundation
import ReplayEngine
import ReplayReports
import ReplayScenarios
import TestSupport
import Testing

struct VerdictJSONTests {
  @Test func membersAreWhatTheTextSays() throws {
    let scenario = try Scenario.read(file: Repository.root.appending(path: "scenarios/heart-strap.json5").path)
    let fault = Fault(.disconnect(.connectionTimeout), at: .after(.notification("2A37", count: 3)))
    let verdict = ScenarioReplay(
      scenario, faults: [fault, Fault(.disconnect(.connectionTimeout), at: .pdu(9999))], seed: 18_446_744_073_709_551_615
    ).verdict
    let json = verdict.json
    #expect(
      json == ScenarioReplay(scenario, faults: [fault, Fault(.disconnect(.connectionTimeout), at: .pdu(9999))], seed: .max).verdict.json)
    let document = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    #expect(
      Set(document.keys) == [
        "format", "passed", "time", "seed", "failures", "notes", "faultsFired", "faultsNotReached", "misuse", "sessions",
      ])
    #expect(document["format"] as? String == Verdict.jsonFormat)
    #expect(document["passed"] as? Bool == true)
    #expect(document["seed"] as? String == "18446744073709551615")
    #expect(document["faultsFired"] as? [String] == [fault.description])
    #expect(document["faultsNotReached"] as? [String] == ["disconnect:0x08@pdu:9999"])
    let sessions = try #require(document["sessions"] as? [[String: Any]])
    #expect(sessions.count == 2)
    #expect(sessions[0]["endedByFault"] as? Bool == true)
    #expect(sessions[0]["consumed"] as? Int == 3)
    #expect(sessions[1]["consumed"] as? Int == sessions[1]["counted"] as? Int)
  }
}
