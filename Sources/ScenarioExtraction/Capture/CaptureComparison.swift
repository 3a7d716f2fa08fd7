public import ReplayScenarios
import SessionReconstruction

/// Holds a replay against the capture that its scenario came from: link, direction, bearer and every byte of every ATT PDU, in order,
/// and what the ends of the link did besides.
public struct CaptureComparison: Sendable {
  /// Where both part, in words.
  public private(set) var differences: [String] = []
  /// PDUs that were compared.
  public private(set) var pdus = 0

  /// Compares each session that names a link of the capture.
  ///
  /// `replayed` has what went over the link of each session that was played, by its number from 0; `sessions` says which were to be
  /// played, all unless given.
  public init(
    _ replayed: [Int: LinkTraffic], of scenario: Scenario, with capture: CaptureRecording, sessions: [Int]? = nil
  ) {
    for (number, session) in scenario.sessions.enumerated() where sessions?.contains(number) ?? true {
      guard let index = session.link else { continue }
      guard let link = capture.reconstruction.links.first(where: { $0.index == index }) else {
        note("session \(number + 1): the capture has no link \(index)")
        continue
      }
      if let address = scenario.device.address, link.peerRole == .peripheral,
        ![link.peer, link.identity, link.usedAddress].contains(where: { $0?.value == address.value })
          && (session.address == nil || session.address != link.usedAddress)
      {
        note("session \(number + 1): link \(index) of the capture is with \(link.peer), the scenario's device is \(address)")
      }
      let recorded = capture.links[index]
      guard let played = replayed[number] else {
        if let recorded, !recorded.pdus.isEmpty { note("session \(number + 1): link \(index) was not replayed") }
        continue
      }
      compare(recorded, with: played.pdus, session: number)
      compare(recorded?.events ?? [], with: played.procedures, session: number)
    }
  }

  private mutating func compare(_ recorded: LinkRecording?, with replayed: [LinkTraffic.PDU], session: Int) {
    let count = recorded?.pdus.count ?? 0
    pdus += count
    if let recorded {
      for (index, pdu) in recorded.pdus.enumerated().prefix(replayed.count) {
        let bytes = recorded.bytes(index)
        let (fromCentral, got, bearer) = (replayed[index].fromCentral, replayed[index].bytes, replayed[index].bearer)
        guard fromCentral == (pdu.sender == .central), got == bytes, bearer == pdu.bearer ?? 0 else {
          let attribute = pdu.attribute.map { " \($0)" } ?? ""
          note(
            "session \(session + 1), PDU \(index + 1) (frame \(pdu.frame))\(attribute): recorded \(pdu.sender == .central ? ">" : "<") "
              + "\(Hexadecimal.encode(bytes)), replayed \(fromCentral ? ">" : "<") \(Hexadecimal.encode(got))")
          return
        }
      }
    }
    if replayed.count != count { note("session \(session + 1): \(count) ATT PDUs were recorded, \(replayed.count) replayed") }
  }

  private mutating func compare(_ recorded: [LinkEvent], with replayed: [LinkTraffic.Procedure], session: Int) {
    for (event, played) in zip(recorded, replayed) {
      guard played.fromCentral == (event.sender == .central), played.outcome == (event.procedure.isAsked ? event.outcome : nil),
        played.procedure.withoutKeys == event.procedure.withoutKeys
      else {
        note("session \(session + 1), event \(event.number) (frame \(event.frame)): \(event.procedure.words) was replayed otherwise")
        return
      }
    }
    if recorded.count != replayed.count {
      note("session \(session + 1): \(recorded.count) events of the link were recorded, \(replayed.count) replayed")
    }
  }

  private mutating func note(_ line: String) { differences.append(line) }
}
