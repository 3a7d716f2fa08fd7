import BLEWire
import ReplayEngine
import ReplayScenarios

/// The events of a recorded session, with the PDUs of long reads and writes one by one.
struct RecordedEvents {
  private enum Content {
    case pdu([UInt8], bearer: Int)
    case words(String)
  }
  private struct Item {
    var time: Int64
    var fromCentral: Bool
    var entry: Int
    var content: Content
  }

  private var items: [Item] = []

  init(_ session: Session) {
    for step in CentralStep.steps(of: session) {
      let begin = step.at
      switch step.action {
      case .send(let request, let answer, _):
        add(begin, true, step.entry, .pdu(request, bearer: step.bearer))
        if let answer { add(begin + step.latency, false, step.entry, .pdu(answer, bearer: step.bearer)) }
      case .perform(let procedure, let outcome):
        add(begin, true, step.entry, .words(procedure.words))
        if let outcome { add(begin + step.latency, false, step.entry, .words("\(procedure.words): \(outcome.words)")) }
      case .disconnect(let reason): add(begin, true, step.entry, .words("disconnected \(reason)"))
      }
    }
    for (index, entry) in session.entries.enumerated() where entry.origin == .peripheral {
      switch entry.action {
      case .link(let procedure): add(entry.at, false, index, .words(procedure.words))
      case .disconnect(let reason): add(entry.at, false, index, .words("disconnected \(reason)"))
      case .vanish: add(entry.at + (entry.latency ?? .zero), false, index, .words("disconnected \(HCIErrorCode.connectionTimeout)"))
      default:
        add(entry.at, false, index, .pdu(CentralStep.request(of: entry), bearer: entry.bearer ?? 0))
        if let reply = CentralStep.reply(to: entry) {
          add(entry.at + (entry.latency ?? .zero), true, index, .pdu(reply, bearer: entry.bearer ?? 0))
        }
      }
    }
  }

  private mutating func add(_ time: Duration, _ fromCentral: Bool, _ entry: Int, _ content: Content) {
    items.append(Item(time: time.inNanoseconds, fromCentral: fromCentral, entry: entry, content: content))
  }

  /// All in the order of their times.
  var list: EventList {
    var list = EventList()
    list.add("connected", .link, by: .none, at: 0)
    let order = items.indices.sorted { (items[$0].time, items[$0].entry, $0) < (items[$1].time, items[$1].entry, $1) }
    for item in order.lazy.map({ items[$0] }) {
      switch item.content {
      case .pdu(let bytes, let bearer):
        list.add(bytes, fromCentral: item.fromCentral, at: item.time, bearer: bearer, entry: item.entry)
      case .words(let words): list.add(words, .link, by: item.fromCentral ? .central : .peripheral, at: item.time, entry: item.entry)
      }
    }
    return list
  }
}

extension LinkProcedure.Outcome {
  var words: String {
    switch self {
    case .success: "ok"
    case .failure(let code): "error \(code)"
    }
  }
}
