import ReplayScenarios
import SessionReconstruction

/// What the ends of a link did besides attribute traffic, as entries, with their places among those of the attributes.
struct EventEntries {
  private(set) var entries: [TimelineEntry] = []
  /// How many of the attributes' entries stand before each.
  private(set) var places: [Int] = []

  /// The same name never stands for an attribute's entry.
  static func name(of event: Int) -> String { "l\(event + 1)" }

  init() {}

  /// `keepsKeys` keeps the values of keys that were distributed in plain.
  init(_ builder: EntryBuilder, keepsKeys: Bool) {
    guard !builder.recording.events.isEmpty else { return }
    var place = 0
    for event in builder.recording.events {
      while place < builder.outlines.count, Int(builder.outlines[place].first) < event.position { place += 1 }
      places.append(place)
      entries.append(Self.entry(event, at: builder.recording.time(of: event), keepsKeys: keepsKeys))
    }
  }

  private static func entry(_ event: LinkEvent, at: Int64, keepsKeys: Bool) -> TimelineEntry {
    let procedure = keepsKeys ? event.procedure : event.procedure.withoutKeys
    var entry = TimelineEntry(
      at: .nanoseconds(at), origin: event.sender == .central ? .central : .peripheral, action: .link(procedure))
    if event.missing > 0 { entry.truncated = event.missing }
    guard procedure.isAsked else { return entry }
    switch event.outcome {
    case .success?: entry.answer = .ok
    case .failure(let code)?: entry.answer = .refused(code)
    case nil: entry.answer = TimelineEntry.Answer.none
    }
    if let end = event.end { entry.latency = .nanoseconds(max(0, end.nanoseconds(since: event.time))) }
    return entry
  }

  /// Ties what the peripheral began to what was complete last before it, and gives names to what attributes' entries hang on; names in `anchors` the attributes' entries that it hangs on.
  mutating func tie(to builder: EntryBuilder, _ anchors: inout EntryAnchors) {
    guard !entries.isEmpty else { return }
    for event in anchors.events where entries.indices.contains(event) { entries[event].id = Self.name(of: event) }
    var cause = Cause()
    var attributes = CompletedEntries(builder)
    for index in entries.indices {
      let at = entries[index].at
      if let last = attributes.last(before: at), cause.isEarlier(than: last.completion) {
        cause = Cause(name: EntryAnchors.name(of: last.entry), completion: last.completion, attribute: last.entry)
      }
      if entries[index].origin == .peripheral {
        entries[index].anchor = anchor(of: index, cause, &anchors)
      }
      // What got no answer is never complete.
      guard entries[index].answer != TimelineEntry.Answer.none else { continue }
      let completion = at + (entries[index].latency ?? .zero)
      if cause.isEarlier(than: completion) { cause = Cause(name: Self.name(of: index), completion: completion, event: index) }
    }
  }

  private mutating func anchor(of index: Int, _ cause: Cause, _ anchors: inout EntryAnchors) -> Anchor {
    let at = entries[index].at
    guard let name = cause.name, cause.completion <= at else { return Anchor(.connection, delay: at) }
    if let attribute = cause.attribute { anchors.name(attribute) }
    if let event = cause.event { entries[event].id = Self.name(of: event) }
    return Anchor(.entry(name), delay: at - cause.completion)
  }

  /// What was complete last.
  private struct Cause {
    var name: String?
    var completion = Duration.zero
    var attribute: Int?
    var event: Int?

    func isEarlier(than other: Duration) -> Bool { name == nil || completion <= other }
  }

  /// The attributes' entries that a replayed app has to make, too, in the order of their completion.
  private struct CompletedEntries {
    private var all: [(entry: Int, completion: Duration)] = []
    private var next = 0
    private var latest: (entry: Int, completion: Duration)?

    init(_ builder: EntryBuilder) {
      for (index, outline) in builder.outlines.enumerated() where outline.isFromCentral {
        guard let completion = outline.completed, outline.action != .exchangeMTU, outline.action != .pdu else { continue }
        all.append((index, builder.time(completion)))
      }
      all.sort { ($0.completion, $0.entry) < ($1.completion, $1.entry) }
    }

    mutating func last(before time: Duration) -> (entry: Int, completion: Duration)? {
      while next < all.count, all[next].completion <= time {
        latest = all[next]
        next += 1
      }
      return latest
    }
  }
}
