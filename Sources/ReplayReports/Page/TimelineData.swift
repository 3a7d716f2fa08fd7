import BLEWire
import ReplayScenarios

/// A timeline in a compact form: a list a column, and each text once.
struct TimelineData {
  private let timeline: Timeline
  private var strings: [String] = []
  private var places: [String: Int] = [:]
  private var attributes: [JSONValue] = []
  private var attributePlaces: [AttributeHandle: Int] = [:]

  init(_ timeline: Timeline) { self.timeline = timeline }

  /// The members' names are short, as one page may hold hundreds of thousands of events; `PageScript.model` reads them.
  var json: JSONValue {
    var data = self
    let rows = TimelineRows(timeline)
    let (recorded, replayed) = (data.side(timeline.recorded), data.side(timeline.replayed))
    let remarks = timeline.remarks.map { remark in
      JSONValue.array([
        .integer(Timeline.Mark.allCases.firstIndex(of: remark.mark) ?? 0), .integer(remark.isReplayed ? 1 : 0), .integer(remark.event),
        PageData.text(remark.text),
      ])
    }
    // Only of what was swept are entries looked for.
    let entries = timeline.swept == nil ? [] : (timeline.recorded ?? []).map { $0.entry ?? -1 }
    return .object([
      ("swept", timeline.swept.map { .numbers([$0.peripheral, $0.session]) } ?? .null), ("entries", .numbers(entries)),
      ("name", PageData.text(timeline.name)), ("recorded", recorded), ("replayed", replayed), ("rows", .numbers(rows.recorded)),
      ("others", .numbers(rows.replayed)), ("partners", .numbers(rows.partners)), ("remarks", .array(remarks)),
      ("attributes", .array(data.attributes)), ("strings", .strings(data.strings)),
    ])
  }

  private mutating func side(_ events: [Timeline.Event]?) -> JSONValue {
    guard let events else { return .null }
    var (times, senders, kinds, attributes, words, meanings, bytes) = ([Int](), [Int](), [Int](), [Int](), [Int](), [Int](), [JSONValue]())
    var last: Int64 = 0
    for event in events {
      // The time since the one before, which is a shorter number.
      times.append(Int(event.time.subtractingReportingOverflow(last).partialValue))
      last = event.time
      senders.append(event.sender.rawValue)
      kinds.append(Timeline.Kind.allCases.firstIndex(of: event.kind) ?? 0)
      attributes.append(event.attribute.map { attribute($0) } ?? -1)
      words.append(place(of: event.words))
      let value = (try? ATTPDU(parsing: event.bytes))?.carriedValue
      meanings.append(value.flatMap { timeline.attributes.meaning(of: $0, event.attribute) }.map { place(of: $0) } ?? -1)
      bytes.append(.string(Hexadecimal.encode(event.bytes)))
    }
    return .object([
      ("t", .numbers(times)), ("d", .numbers(senders)), ("k", .numbers(kinds)), ("a", .numbers(attributes)),
      ("w", .numbers(words)), ("m", .numbers(meanings)), ("b", .array(bytes)),
    ])
  }

  private mutating func attribute(_ handle: AttributeHandle) -> Int {
    if let place = attributePlaces[handle] { return place }
    attributePlaces[handle] = attributes.count
    attributes.append(
      .array([PageData.text(timeline.attributes.label(handle)), PageData.text(timeline.attributes.shortLabel(handle))]))
    return attributes.count - 1
  }

  private mutating func place(of text: String) -> Int {
    if let place = places[text] { return place }
    places[text] = strings.count
    strings.append(JSON5Writer.printable(text))
    return strings.count - 1
  }
}
