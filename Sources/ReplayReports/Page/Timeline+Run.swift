import BLEWire
import ReplayEngine
import ReplayScenarios

extension Timeline {
  /// The links of a run beside what was recorded of their sessions, then sessions that were not played.
  static func all(of run: Report.Run) -> [Timeline] {
    let labels = run.scenarios.map { AttributeLabels($0) }
    var played: Set<[Int]> = []
    var timelines: [Timeline] = []
    let reports = Dictionary(run.verdict?.sessions.map { ($0.link, $0) } ?? [], uniquingKeysWith: { one, _ in one })
    let links = run.log.map { ReplayedEvents.all($0, reports: reports) } ?? []
    for var link in links {
      let session = run.scenarios[safely: link.peripheral]?.sessions[safely: link.session]
      played.insert([link.peripheral, link.session])
      let device = name(run.scenarios, link.peripheral)
      var timeline = Timeline(
        name: "link \(link.link): \(device), session \(link.session + 1)", attributes: labels[safely: link.peripheral] ?? AttributeLabels(),
        // What a log that begins later has would be held against the wrong part of the recording.
        recorded: link.isWhole ? session.map { RecordedEvents($0).list.events } : nil, replayed: link.list.events)
      timeline.addRemarks(&link, reports[link.link])
      timelines.append(timeline)
    }
    for (peripheral, scenario) in run.scenarios.enumerated() {
      for (index, session) in scenario.sessions.enumerated() where !played.contains([peripheral, index]) {
        let label = "not played: \(name(run.scenarios, peripheral)), session \(index + 1)"
        timelines.append(Timeline(name: label, attributes: labels[peripheral], recorded: RecordedEvents(session).list.events))
      }
    }
    return timelines
  }

  /// The recorded sessions of scenarios.
  static func all(of scenarios: [Scenario]) -> [Timeline] {
    scenarios.enumerated().flatMap { peripheral, scenario in
      let labels = AttributeLabels(scenario)
      return scenario.sessions.enumerated().map { index, session in
        var timeline = Timeline(
          name: "\(name(scenarios, peripheral)), session \(index + 1)", attributes: labels, recorded: RecordedEvents(session).list.events)
        timeline.swept = (peripheral, index)
        return timeline
      }
    }
  }

  private static func name(_ scenarios: [Scenario], _ index: Int) -> String {
    let device = scenarios[safely: index]?.device
    return device?.name ?? device?.address?.description ?? "peripheral \(index + 1)"
  }

  /// Marks what the verdict names.
  private mutating func addRemarks(_ link: inout ReplayedEvents, _ report: SessionReport?) {
    for fault in link.faults {
      remarks.append(Remark(mark: .fault, text: "fault fired: \(fault.words)", isReplayed: true, event: fault.event))
    }
    for wrong in link.misuse { remarks.append(Remark(mark: .misuse, text: wrong.words, isReplayed: true, event: wrong.event)) }
    guard let report else { return }
    var places: [Int: Int] = [:]
    for (index, event) in (recorded ?? []).enumerated() { if let entry = event.entry, places[entry] == nil { places[entry] = index } }
    for miss in report.nearMisses {
      guard let event = link.take(at: miss.time, value: miss.got) else { continue }
      let nearest = miss.expected.map { "; nearest: \($0)" } ?? ""
      remarks.append(Remark(mark: .divergence, text: "matches nothing: \(miss.request)\(nearest)", isReplayed: true, event: event))
    }
    for other in report.substitutions {
      guard let event = link.take(at: other.time, value: other.got) else { continue }
      remarks.append(Remark(mark: .divergence, text: "another value: \(other.attribute)", isReplayed: true, event: event))
    }
    for unused in report.unused {
      guard let event = places[unused.entry] else { continue }
      remarks.append(Remark(mark: .divergence, text: "was not made: \(unused.words)", isReplayed: false, event: event))
    }
    for changed in report.changedErrors {
      guard let event = places[changed.entry] else { continue }
      remarks.append(
        Remark(mark: .divergence, text: "got an error, and here another answer: \(changed.words)", isReplayed: false, event: event))
    }
  }
}

extension AttributeLabels {
  /// The attributes of a scenario's databases.
  init(_ scenario: Scenario) {
    self.init()
    for attribute in scenario.databases.joined() {
      switch attribute.kind {
      case .service(_, let isPrimary, _): add(attribute.handle, BluetoothUUID(isPrimary ? 0x2800 : 0x2801 as UInt16))
      case .include: add(attribute.handle, BluetoothUUID(0x2802 as UInt16))
      case .characteristic(let uuid, _, let value):
        add(attribute.handle, BluetoothUUID(0x2803 as UInt16))
        add(value, uuid)
      case .descriptor(let uuid): add(attribute.handle, uuid)
      case .unknown: break
      }
    }
  }
}
