import Foundation
import ReplayEngine
import ReplayScenarios

/// Faults at various triggers that both a recorded central and an app on CoreBluetooth can meet at the same point.
///
/// Left out, since the two differ there by nature:
/// - entries that no app can do (``AppPlan/Obstacle``);
/// - `pdu:N`, and the phases `mtu` and `discovery`: stacks send other PDUs, so that the N-th is another, and the recorded central
///   discovers only where that was recorded;
/// - `advertising`, `rssi`, `rotateAddress`, `stopAdvertising`, `powerOff`, `stallCredits`: the recorded central neither scans nor has an adapter, and is
///   refused them.
enum FaultList {
  /// How many points of a long scenario are visited: all where `UNDERSTUDY_ALL_POINTS` is set.
  private static let points = ProcessInfo.processInfo.environment["UNDERSTUDY_ALL_POINTS"] == nil ? 2 : Int.max

  static let actionsAtEntries: [Fault.Action] = [
    .disconnect(.connectionTimeout), .disconnect(.remoteUserTerminatedConnection), .localDisconnect, .vanish, .silence,
    .delay(.milliseconds(80)), .drop, .duplicate, .reorder, .error(.unlikelyError),
  ]

  /// Right after entries and right before them.
  static func atEntries(_ action: Fault.Action, of scenario: Scenario, mtu: Int) -> [Fault] {
    let obstacles = scenario.sessions.map { Set(ScenarioApp.plan(of: $0, in: scenario, mtu: mtu).obstacles.keys) }
    return [FaultPoint.Selection.everyEntry, .beforeEveryEntry].flatMap { selection -> [Fault] in
      let all = FaultPoint.all(action, at: selection, in: scenario).map(\.fault).filter { fault in
        switch fault.trigger {
        case .before(.entry(let session, let entry)), .after(.entry(let session, let entry)): !obstacles[session].contains(entry)
        default: true
        }
      }
      return sample(all)
    }
  }

  static func ofConnections() throws -> [Fault] {
    try [
      "refuseConnection@phase:connecting", "refuseConnection:0x08@phase:connecting*2", "refuseConnection@phase:connecting*all",
      "delayConnection:2s@phase:connecting", "failEstablishment@phase:connecting", "disconnect:0x13@phase:connecting",
      "refuseConnection@phase:connecting#2", "disconnect:0x13@phase:subscribing", "drop@phase:subscribing", "vanish@phase:subscribing#2",
      "error:0x05@phase:subscribing", "disconnect@phase:streaming", "disconnect@phase:streaming#3", "drop@phase:streaming*all~0.5",
      "disconnect@phase:longWrite", "localDisconnect@phase:subscribing",
    ].map { try Fault($0) }
  }

  static func atAttributes(of scenario: Scenario) throws -> [Fault] {
    var texts: [String] = []
    var seen: Set<String> = []
    for session in scenario.sessions {
      for entry in session.entries {
        guard let handle = entry.action.attribute else { continue }
        let use: String
        switch entry.action {
        case .read: use = "read"
        case .write, .writeCommand: use = "write"
        case .notify: use = "notification"
        case .indicate: use = "indication"
        default: continue
        }
        let attribute = "\(use):0x\(String(handle.rawValue, radix: 16))"
        guard seen.insert(attribute).inserted else { continue }
        texts += ["disconnect:0x13@after:\(attribute)", "disconnect@before:\(attribute)#2", "duplicate@before:\(attribute)*all"]
        switch use {
        case "read", "write":
          let response = "response:0x\(String(handle.rawValue, radix: 16))"
          texts += ["error:0x05@before:\(attribute)", "delay:300ms@before:\(response)*all~0.5", "drop@before:\(response)"]
        case "indication":
          let confirmation = "confirmation:0x\(String(handle.rawValue, radix: 16))"
          texts += ["corrupt:3^0xff@before:\(attribute)", "drop@before:\(confirmation)", "delay:1s@after:\(attribute)"]
        default:
          texts += ["corrupt:3^0xff@before:\(attribute)*all", "drop@before:\(attribute)*all~0.3", "delay:50ms@before:\(attribute)*all~0.5"]
        }
      }
    }
    return try sample(texts, 6).map { try Fault($0) }
  }

  private static func sample<Element>(_ all: [Element], _ times: Int = 1) -> [Element] {
    let count = points.multipliedReportingOverflow(by: times)
    let wanted = count.overflow ? all.count : min(count.partialValue, all.count)
    guard wanted > 0 else { return [] }
    return (0..<wanted).map { all[$0 * all.count / wanted] }
  }
}
