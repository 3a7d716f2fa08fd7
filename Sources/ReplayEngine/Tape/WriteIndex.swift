import ReplayScenarios

/// The recorded writes or commands of one attribute by their values, for an app that writes on when the tape is over.
struct WriteIndex {
  /// Which attribute, and which kind of write.
  struct Key: Hashable {
    var handle: AttributeHandle
    var isCommand: Bool
  }

  /// Entries in their order.
  private var places: [[UInt8]: [Int]] = [:]
  /// Those that take other values, too.
  private var matched: [Int] = []

  init(_ list: [Int], in session: CompiledSession) {
    for place in list {
      let entry = session.entries[place]
      if let value = entry.action.writtenValue { places[value, default: []].append(place) }
      if entry.matcher != .exact { matched.append(place) }
    }
  }

  /// The latest that wrote `value`, or else one whose matcher `takes` it, of those for which `isPlayed`.
  func latest(_ value: [UInt8], where isPlayed: (Int) -> Bool, orElse takes: (Int) -> Bool) -> Int? {
    places[value]?.last(where: isPlayed) ?? matched.last { isPlayed($0) && takes($0) }
  }
}
