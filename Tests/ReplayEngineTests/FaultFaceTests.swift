import Foundation
import ReplayScenarios
import TestSupport
import Testing

@testable import ReplayEngine

/// Which face can have which fault: as data, in the documentation, and at the start of a run.
struct FaultFaceTests {
  /// One fault of each kind, in the order of the documentation.
  static let actions: [Fault.Action] = [
    .disconnect(.connectionTimeout), .localDisconnect, .vanish, .silence, .refuseConnection, .delayConnection(.seconds(1)),
    .failEstablishment, .delay(.seconds(1)), .drop, .duplicate, .reorder, .corrupt, .error(.unlikelyError), .delayMTU(.seconds(1)),
    .duplicateMTU, .limitMTU(23), .moveHandles(HandleShift(from: 1, by: 1)), .forgetBond, .failEncryption, .stallCredits(nil), .rssi(-90),
    .rotateAddress(resolvable: false), .stopAdvertising(nil), .powerOff(nil),
  ]

  private static func name(_ action: Fault.Action) -> String { String("\(action)".prefix { $0 != ":" }) }

  @Test func everyActionIsListed() { #expect(Self.actions.map(Self.name) == Fault.Action.names) }

  @Test func theDocumentationHasTheTable() throws {
    let text = try String(contentsOf: Repository.root.appending(path: "docs/faults.md"), encoding: .utf8)
    let table = text.components(separatedBy: "## Faces").last ?? ""
    for action in Self.actions {
      let row = try #require(table.split(separator: "\n").first { $0.hasPrefix("| `\(Self.name(action))` |") }, "\(action)")
      let cells = row.split(separator: "|").dropFirst().map { $0.trimmingCharacters(in: .whitespaces) }
      for (face, cell) in zip(Fault.Face.allCases, cells) {
        let isPossible = Fault(action, at: .pdu(1)).isPossible(on: face)
        if cell.hasPrefix("0x") {
          // Some reasons only: that of the list is none of them.
          #expect(!isPossible)
          for code in UInt8(1)...UInt8.max {
            let isListed = [0x05, 0x13, 0x14, 0x15, 0x1A, 0x29, 0x3B].contains(code)
            #expect(Fault(.disconnect(HCIErrorCode(rawValue: code)), at: .pdu(1)).isPossible(on: face) == isListed)
          }
        } else {
          #expect(isPossible == (cell == "yes"), "\(action) \(face)")
        }
      }
      // The tables of actions name each.
      #expect(text.components(separatedBy: "## Triggers").first?.contains("`\(Self.name(action))") == true)
    }
    for name in Fault.Phase.allCases.map(\.rawValue) + Fault.Use.allCases.map(\.rawValue) { #expect(text.contains(name)) }
  }

  @Test func reasonsAreGiven() {
    for face in Fault.Face.allCases {
      for action in Self.actions {
        let fault = Fault(action, at: .pdu(1))
        #expect(fault.isPossible(on: face) == (fault.obstacle(on: face) == nil))
        #expect((fault.obstacle(on: face)?.count ?? 20) >= 20)
        // What is off is never an obstacle.
        #expect(Fault(action, at: .pdu(1), count: 0).isPossible(on: face))
      }
    }
  }

  @Test func theRecordedCentralRefusesWhatItCannotHave() throws {
    for action in Self.actions {
      let fault = Fault(action, at: .pdu(1))
      let replay = ScenarioReplay(FaultTableTests.scenario, faults: [fault])
      guard let reason = fault.obstacle(on: .recordedCentral) else {
        #expect(!replay.verdict.failures.contains { $0.contains("is impossible") })
        continue
      }
      #expect(replay.verdict.failures == ["the fault \(fault) is impossible on the recorded central: \(reason)"])
      #expect(!replay.log.text.contains("fault"))
      #expect(replay.verdict.faultsNotReached == [])
    }
  }

  @Test func aFaultOfTheScenarioIsRefusedToo() {
    var scenario = FaultTableTests.scenario
    scenario.faults = ["powerOff@pdu:3", "drop@pdu:9999"]
    let verdict = ScenarioReplay(scenario).verdict
    #expect(verdict.failures.count == 1 && verdict.failures[0].contains("powerOff@pdu:3 is impossible on the recorded central"))
    #expect(verdict.faultsNotReached.map { "\($0)" } == ["drop@pdu:9999"])
  }

  /// A central that has a face of its own.
  private final class FacedCentral: AirCentral, @unchecked Sendable {
    let face: Fault.Face?
    init(_ face: Fault.Face) { self.face = face }
    func handle(_ event: AirEvent, in air: AirCore) {}
  }

  @Test func whatIsArmedLaterIsRefusedToo() throws {
    let air = AirCore([FaultTableTests.scenario])
    let central = FacedCentral(.hci)
    air.attach(central)
    air.arm(try Fault("powerOff@time:1ms"))
    air.arm(try Fault("rssi:-80@time:1ms"))
    while air.step() {}
    let verdict = Verdict(air, seed: 0)
    #expect(verdict.failures.count == 1 && verdict.failures[0].contains("powerOff@time:1ms is impossible on HCI"))
    #expect(verdict.faultsFired.map { "\($0)" } == ["rssi:-80@time:1ms"])
  }
}
