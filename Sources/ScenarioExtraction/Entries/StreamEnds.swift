import ReplayScenarios
import SessionReconstruction

/// Finds streams that a write began and the next write to the same attribute ended: a replayed app may end them earlier.
///
/// Such a stream goes on in its own rhythm up to that write, and is silent from there for longer than its rhythm allows.
struct StreamEnds {
  /// A chain of one attribute's values behind a write.
  private struct Run {
    var cause: Int32
    var first: Int32
    /// All of its values, once there is a second.
    var entries: [Int32] = []
    /// The next write to the attribute that began it.
    var end: Int32?
    var goesOn = false
  }

  private static let least = 4

  private let builder: EntryBuilder
  private let writes: HandleTable<[Int32]>
  private var runs = HandleTable<Int>()
  private var all: [(attribute: AttributeHandle, run: Run?)] = []

  /// Marks in `anchors` what the next write ends; `writes` are those of each attribute, `configurations` the value that each CCCD belongs to.
  static func mark(
    _ anchors: inout EntryAnchors, _ builder: EntryBuilder, _ writes: HandleTable<[Int32]>, _ configurations: HandleTable<AttributeHandle>
  ) {
    var ends = StreamEnds(builder: builder, writes: writes)
    for (index, outline) in builder.outlines.enumerated() where outline.isTold || outline.action == .write {
      guard let attribute = builder.recording.pdus[Int(outline.first)].attribute else { continue }
      if outline.isTold {
        ends.add(index, attribute, &anchors)
      } else if let value = configurations[attribute], let place = ends.runs[value] {
        // Unsubscribing ends a stream by itself.
        ends.all[place].run = nil
      }
    }
    let last = builder.recording.pdus.last?.time ?? 0
    for place in ends.all.indices { ends.close(place, at: last, &anchors) }
  }

  private init(builder: EntryBuilder, writes: HandleTable<[Int32]>) { (self.builder, self.writes) = (builder, writes) }

  private func time(_ entry: Int32) -> Int64 { builder.recording.pdus[Int(builder.outlines[Int(entry)].first)].time }

  private mutating func add(_ index: Int, _ attribute: AttributeHandle, _ anchors: inout EntryAnchors) {
    let choice = anchors.choices[index]
    guard let place = runs[attribute] else {
      runs[attribute] = all.count
      all.append((attribute, begun(index, choice)))
      return
    }
    if choice.kind == .previous, all[place].run != nil { return goOn(place, Int32(index)) }
    close(place, at: time(Int32(index)), &anchors)
    all[place].run = begun(index, choice)
  }

  private func begun(_ index: Int, _ choice: EntryAnchors.Choice) -> Run? {
    guard choice.kind == .entry, builder.outlines[Int(choice.cause)].isWrite else { return nil }
    return Run(cause: choice.cause, first: Int32(index))
  }

  /// One more value of a run.
  private mutating func goOn(_ place: Int, _ index: Int32) {
    guard let run = all[place].run else { return }
    if run.entries.isEmpty {
      guard let handle = builder.recording.pdus[Int(builder.outlines[Int(run.cause)].first)].attribute else { return }
      let end = next(handle, after: run.cause)
      // A write that came before the first value would have ended it already.
      guard end.map({ $0 > run.first }) ?? true else {
        all[place].run = nil
        return
      }
      all[place].run?.entries = [run.first]
      all[place].run?.end = end
    }
    if let end = all[place].run?.end, end < index {
      all[place].run?.goesOn = true
    } else {
      all[place].run?.entries.append(index)
    }
  }

  /// The first write to an attribute behind an entry.
  private func next(_ handle: AttributeHandle, after entry: Int32) -> Int32? {
    let made = writes[handle] ?? []
    var (low, high) = (0, made.count)
    while low < high {
      let middle = low + (high - low) / 2
      if made[middle] > entry { high = middle } else { low = middle + 1 }
    }
    return low < made.count ? made[low] : nil
  }

  /// Ends a run, whose attribute had no further value until `until`.
  private mutating func close(_ place: Int, at until: Int64, _ anchors: inout EntryAnchors) {
    guard let run = all[place].run, let end = run.end, !run.goesOn, run.entries.count >= Self.least, let last = run.entries.last else {
      return
    }
    let gaps = zip(run.entries, run.entries.dropFirst()).map { time($1) - time($0) }
    let usual = gaps.sorted()[gaps.count / 2]
    // A burst ends by itself.
    guard usual >= 10_000_000, gaps.count(where: { $0 <= 2 * usual && $0 * 2 >= usual }) * 5 >= gaps.count * 4,
      time(end) - time(last) <= usual + usual / 2, until - time(end) >= 2 * usual + usual / 2
    else { return }
    for entry in run.entries { anchors.end(Int(entry)) }
  }
}
