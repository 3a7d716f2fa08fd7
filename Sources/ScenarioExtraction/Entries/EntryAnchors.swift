import ReplayScenarios

/// What a link's entries wait for, in short, and which of them others name.
struct EntryAnchors {
  /// One entry's anchor.
  struct Choice {
    enum Kind: UInt8 { case none, connection, previous, entry, request, every, event }
    var kind = Kind.none
    var cancel = Anchor.Cancellation.unsubscribe
    /// The entry that is named, for a number of writes the place of the stream among ``EntryAnchors/streams``, for an event of the link
    /// its place.
    var cause: Int32 = -1
    /// Nanoseconds after the cause.
    var delay: Int64 = 0

    init() {}

    init(_ kind: Kind, _ cause: Int = -1, delay: Int64) { (self.kind, self.cause, self.delay) = (kind, Int32(clamping: cause), delay) }
  }

  /// Writes of which every `count`-th is a cause.
  struct Stream {
    var count: Int
    var handle: AttributeHandle
    /// The entry since which they are counted; `nil` for the connection.
    var since: Int?
  }

  private(set) var choices: [Choice]
  private(set) var isNamed: [Bool]
  private(set) var streams: [Stream] = []
  /// Events of the link that entries wait for.
  private(set) var events: Set<Int> = []

  init(count: Int) {
    choices = Array(repeating: Choice(), count: count)
    isNamed = Array(repeating: false, count: count)
  }

  mutating func set(_ choice: Choice, of entry: Int) {
    choices[entry] = choice
    guard choice.cause >= 0 else { return }
    switch choice.kind {
    case .event: events.insert(Int(choice.cause))
    case .every: break
    default: isNamed[Int(choice.cause)] = true
    }
  }

  /// Adds a stream; tells its place.
  mutating func add(_ stream: Stream) -> Int {
    streams.append(stream)
    if let since = stream.since { isNamed[since] = true }
    return streams.count - 1
  }

  /// Lets an entry's waiting go on when its subscription ends.
  mutating func keep(_ entry: Int) { choices[entry].cancel.remove(.unsubscribe) }

  /// Lets an entry's waiting end with the next write to the attribute that its chain began with.
  mutating func end(_ entry: Int) { choices[entry].cancel.insert(.write) }

  /// Lets an entry have a name though no anchor here refers to it.
  mutating func name(_ entry: Int) { isNamed[entry] = true }

  /// The name of an entry.
  static func name(of entry: Int) -> String { "e\(entry + 1)" }

  /// An entry's anchor in full.
  func anchor(of entry: Int) -> Anchor? {
    let choice = choices[entry]
    let cause: Anchor.Cause
    switch choice.kind {
    case .none: return nil
    case .connection: cause = .connection
    case .previous: cause = .previous
    case .entry: cause = .entry(Self.name(of: Int(choice.cause)))
    case .request: cause = .request(Self.name(of: Int(choice.cause)))
    case .every:
      let stream = streams[Int(choice.cause)]
      cause = .every(count: stream.count, write: stream.handle, since: stream.since.map(Self.name))
    case .event: cause = .entry(EventEntries.name(of: Int(choice.cause)))
    }
    return Anchor(cause, delay: .nanoseconds(choice.delay), cancel: choice.cancel)
  }

  /// The same as it stands in an entry's line, and the name in it.
  func line(of entry: Int) -> (anchor: EntryLine.Anchor, name: EntryLine.Name) {
    let choice = choices[entry]
    func name(_ entry: Int) -> EntryLine.Name { .number(entry + 1) }
    switch choice.kind {
    case .none: return (.none, .none)
    case .connection: return (.connection, .none)
    case .previous: return (.previous, .none)
    case .entry: return (.entry, name(Int(choice.cause)))
    case .request: return (.request, name(Int(choice.cause)))
    case .every:
      let stream = streams[Int(choice.cause)]
      return (.every(stream.count, stream.handle), stream.since.map(name) ?? .none)
    case .event: return (.entry, .text(EventEntries.name(of: Int(choice.cause))))
    }
  }
}
