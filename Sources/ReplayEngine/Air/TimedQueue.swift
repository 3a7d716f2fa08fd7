/// Things to do at moments, the earliest first and of equal moments the one that was added first.
struct TimedQueue<Element> {
  private struct Item {
    var time: AirInstant
    /// Ranks items of one moment before their order of arrival does.
    var rank: Int
    var sequence: UInt64
    var element: Element

    func isBefore(_ other: Item) -> Bool {
      if time != other.time { return time < other.time }
      if rank != other.rank { return rank < other.rank }
      return sequence < other.sequence
    }
  }

  private var items: [Item] = []
  private var added: UInt64 = 0

  var isEmpty: Bool { items.isEmpty }
  /// The moment of the next element.
  var next: AirInstant? { items.first?.time }
  var first: Element? { items.first?.element }

  mutating func add(_ element: Element, at time: AirInstant, rank: Int = 0) {
    added += 1
    items.append(Item(time: time, rank: rank, sequence: added, element: element))
    var child = items.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard items[child].isBefore(items[parent]) else { break }
      items.swapAt(child, parent)
      child = parent
    }
  }

  /// Takes the next element if its moment is not after `now`.
  mutating func pop(through now: AirInstant) -> (time: AirInstant, element: Element)? {
    guard let first = items.first, first.time <= now else { return nil }
    removeFirst()
    return (first.time, first.element)
  }

  /// Drops the next element, where there is one.
  mutating func removeFirst() {
    guard !items.isEmpty else { return }
    let last = items.removeLast()
    if !items.isEmpty {
      items[0] = last
      var parent = 0
      while true {
        var least = parent
        for child in [2 * parent + 1, 2 * parent + 2] where child < items.count && items[child].isBefore(items[least]) { least = child }
        if least == parent { break }
        items.swapAt(parent, least)
        parent = least
      }
    }
  }

  /// Drops the elements that `condition` names, and tells how many there were.
  @discardableResult
  mutating func removeAll(where condition: (Element) -> Bool) -> Int {
    let kept = items.filter { !condition($0.element) }
    let dropped = items.count - kept.count
    // Sorted items form a heap.
    if dropped > 0 { items = kept.sorted { $0.isBefore($1) } }
    return dropped
  }

  mutating func removeAll() { items.removeAll() }
}
