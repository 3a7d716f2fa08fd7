import BLEWire
import ReplayReports
import ReplayScenarios
import SessionReconstruction

/// A capture as reports show it: a timeline for each link that has traffic.
enum CaptureTimelines {
  static func recording(_ reconstruction: Reconstruction) -> Recording {
    var facts = [("format", reconstruction.format.description), ("records", "\(reconstruction.records)")]
    if let start = reconstruction.start { facts.append(("from", start.iso8601)) }
    let names = Dictionary(
      CapturePeer.all(of: reconstruction).flatMap { peer in peer.links.map { ($0.index, peer.name) } }, uniquingKeysWith: { one, _ in one })
    for link in reconstruction.links {
      let name = names[link.index]?.map { " \($0)" } ?? ""
      facts.append(
        (
          "link \(link.index)", "\(link.peerText)\(name), \(link.start.iso8601), \(counted(link.attPDUs, "ATT PDU")), \(link.ending)"
        ))
    }
    let timelines = reconstruction.links.compactMap { link in
      reconstruction.recordings[link.index].map { timeline(link, $0, name: names[link.index] ?? nil) }
    }
    return Recording(
      name: reconstruction.file, facts: facts,
      notes: reconstruction.findings.map { "\($0.severity.rawValue)\($0.frame.map { ", frame \($0)" } ?? ""): \($0.message)" },
      timelines: timelines)
  }

  private static func timeline(_ link: Link, _ recording: LinkRecording, name: String?) -> Timeline {
    var list = EventList()
    list.add(link.isImplicit ? "up before the capture" : "connected", .link, by: .none, at: 0)
    var events = recording.events[...]
    func addEvents(before position: Int) {
      while let event = events.first, event.position < position {
        events.removeFirst()
        let sender: Timeline.Sender = event.sender == .central ? .central : .peripheral
        list.add(event.procedure.words, .link, by: sender, at: recording.time(of: event))
      }
    }
    for (index, pdu) in recording.pdus.enumerated() {
      addEvents(before: index + 1)
      list.add(
        recording.bytes(index), fromCentral: pdu.sender == .central, at: pdu.time, bearer: pdu.bearer ?? 0,
        note: pdu.missing > 0 ? "\(counted(pdu.missing, "byte")) not captured" : nil)
    }
    addEvents(before: .max)
    if let end = link.end {
      let time = max(end.nanoseconds(since: link.start), list.events.last?.time ?? 0)
      list.add("disconnected \(link.ending)", .link, by: .none, at: time)
    }
    return Timeline(
      name: "link \(link.index): \(link.peerText)\(name.map { " \($0)" } ?? "")", attributes: labels(of: link), recorded: list.events)
  }

  private static func labels(of link: Link) -> AttributeLabels {
    var labels = AttributeLabels()
    for role in [link.peerRole, link.peerRole.other] {
      for (handle, declaration) in link.databases[role]?.sorted ?? [] {
        switch declaration {
        case .service, .include: break
        case .characteristic(let uuid, _, let value): labels.add(value, uuid)
        case .typed(let uuid): labels.add(handle, uuid)
        }
      }
    }
    return labels
  }
}
