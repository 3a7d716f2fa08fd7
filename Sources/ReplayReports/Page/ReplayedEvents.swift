import BLEWire
import ReplayEngine
import ReplayScenarios

/// The events of one link of a run.
struct ReplayedEvents {
  var peripheral: Int
  var session: Int
  let link: Int
  /// When the link came up, or the first line of it was kept.
  let start: AirInstant
  /// Whether the log holds the link from its beginning.
  let isWhole: Bool
  private(set) var list = EventList()
  /// Where faults stand.
  private(set) var faults: [(event: Int, words: String)] = []
  /// Where wrong uses of the framework stand.
  private(set) var misuse: [(event: Int, words: String)] = []
  /// PDUs of the central's by their time.
  private var byTime: [Int64: [Int]] = [:]

  init(link: Int, peripheral: Int, session: Int, start: AirInstant, isWhole: Bool) {
    (self.link, self.peripheral, self.session, self.start, self.isWhole) = (link, peripheral, session, start, isWhole)
    list.add(isWhole ? "connected" : "the log begins later", .link, by: .none, at: 0)
  }

  /// The links of a log, in the order of their beginning; `reports` tells of those whose first lines the log did not keep.
  static func all(_ log: AirLog, reports: [Int: SessionReport]) -> [ReplayedEvents] {
    var links: [ReplayedEvents] = []
    var places: [Int: Int] = [:]
    var wrong = log.misuse[...]
    // A wrong use stands in the link that began last by then; what comes before all links, in the first.
    func addMisuse(before time: AirInstant?) {
      while let next = wrong.first, !links.isEmpty, time.map({ next.time < $0 }) ?? true {
        links[links.count - 1].add(wrong.removeFirst())
      }
    }
    for line in log.lines {
      addMisuse(before: line.time)
      if case .connected(let peripheral, let session) = line.event {
        places[line.link] = links.count
        links.append(ReplayedEvents(link: line.link, peripheral: peripheral, session: session, start: line.time, isWhole: true))
        continue
      }
      if line.link > 0, places[line.link] == nil, let report = reports[line.link] {
        places[line.link] = links.count
        links.append(
          ReplayedEvents(
            link: line.link, peripheral: report.peripheral, session: report.session, start: line.time, isWhole: false))
      }
      if let place = places[line.link] {
        links[place].add(line)
      } else if line.link == 0, case .fault = line.event, !links.isEmpty {
        // What befalls the radio befalls the link that is up, or was last.
        links[links.count - 1].add(line)
      }
    }
    addMisuse(before: nil)
    return links
  }

  private mutating func add(_ wrong: AirLog.Misuse) {
    misuse.append((list.events.count, wrong.words))
    let time = max(0, wrong.time.nanoseconds.subtractingReportingOverflow(start.nanoseconds).partialValue)
    list.add(wrong.words, .misuse, by: .none, at: time)
  }

  private mutating func add(_ line: AirLog.Line) {
    let time = line.time.nanoseconds.subtractingReportingOverflow(start.nanoseconds).partialValue
    func sender(_ fromCentral: Bool) -> Timeline.Sender { fromCentral ? .central : .peripheral }
    switch line.event {
    case .connected, .connectionFailed: break
    case .pdu(let fromCentral, let bytes, let bearer):
      if fromCentral { byTime[time, default: []].append(list.events.count) }
      list.add(bytes, fromCentral: fromCentral, at: time, bearer: bearer)
    // Another bearer than any that there is: the stack's own questions answer no app's.
    case .own(let fromCentral, let bytes): list.add(bytes, fromCentral: fromCentral, at: time, bearer: -1, note: "of the stack itself")
    case .arrived(let fromCentral, let bytes, let bearer):
      list.add(bytes, fromCentral: fromCentral, at: time, bearer: bearer, note: "arrives", isAfterthought: true)
    case .lost(let fromCentral, let bytes, let bearer):
      list.add(bytes, fromCentral: fromCentral, at: time, bearer: bearer, note: "is lost", isAfterthought: true)
    case .procedure(let fromCentral, let procedure): list.add(procedure.words, .link, by: sender(fromCentral), at: time)
    case .outcome(let fromCentral, let procedure, let outcome):
      list.add("\(procedure.words): \(outcome.words)", .link, by: sender(fromCentral), at: time)
    case .disconnected(let reason): list.add("disconnected \(reason)", .link, by: .none, at: time)
    case .adapter(let isOn): list.add("adapter \(isOn ? "on" : "off")", .link, by: .none, at: time)
    case .fault(let fault):
      faults.append((list.events.count, "\(fault)"))
      list.add("fault \(fault)", .fault, by: .none, at: time)
    }
  }

  /// The central's PDU of a moment that carries `value`; each is found once.
  mutating func take(at moment: AirInstant, value: [UInt8]) -> Int? {
    let time = moment.nanoseconds.subtractingReportingOverflow(start.nanoseconds).partialValue
    guard let events = byTime[time] else { return nil }
    guard
      let place = events.firstIndex(where: { list.events[safely: $0]?.bytes.dropFirst(3).elementsEqual(value) == true })
        ?? events.indices.first
    else { return nil }
    return byTime[time]?.remove(at: place)
  }
}

extension Array {
  /// The element at a place, where there is one.
  subscript(safely place: Int) -> Element? { indices.contains(place) ? self[place] : nil }
}
