import ReplayScenarios

/// What a link's entries wait for, in short, and which of them others name.
struct EntryAnchors {
  /// One entry's anchor.
  struct Choice {
    enum Kind: UInt8 { case none, connection, previous, entry, request }
    var kind = Kind.none
    /// The entry that is named.
    var cause: Int32 = -1
    /// Nanoseconds after the cause.
    var delay: Int64 = 0

    init() {}

    init(_ kind: Kind, _ cause: Int = -1, delay: Int64) { (self.kind, self.cause, self.delay) = (kind, Int32(clamping: cause), delay) }
  }

  private(set) var choices: [Choice]
  private(set) var isNamed: [Bool]

  init(count: Int) {
    choices = Array(repeating: Choice(), count: count)
    isNamed = Array(repeating: false, count: count)
  }

  mutating func set(_ choice: Choice, of entry: Int) {
    choices[entry] = choice
    if choice.cause >= 0 { isNamed[Int(choice.cause)] = true }
  }

  /// Lets an entry have a name though no anchor here refers to it.
  mutating func name(_ entry: Int) { isNamed[entry] = true }

  /// The name of an entry.
  static func name(of entry: Int) -> String { "e\(entry + 1)" }

  /// An entry's anchor in full.
  func anchor(of entry: Int) -> Anchor? {
    let choice = choices[entry]
    let delay = Duration.nanoseconds(choice.delay)
    return switch choice.kind {
    case .none: nil
    case .connection: Anchor(.connection, delay: delay)
    case .previous: Anchor(.previous, delay: delay)
    case .entry: Anchor(.entry(Self.name(of: Int(choice.cause))), delay: delay)
    case .request: Anchor(.request(Self.name(of: Int(choice.cause))), delay: delay)
    }
  }
}
