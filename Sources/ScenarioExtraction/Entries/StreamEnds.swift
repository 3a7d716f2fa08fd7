import ReplayScenarios
import SessionReconstruction

/// Finds streams that a write began and the next write to the same attribute ended: a replayed app may end them earlier.
///
/// Such a stream goes on in its own rhythm up to that write, and is silent from there for longer than its rhythm allows.
struct StreamEnds {
  /// A chain of one attribute's values behind a write.
  private struct Run {
    var handle: AttributeHandle
    var entries: [Int32]
    /// The next write to the attribute that began it.
    var end: Int?
    var goesOn = false
  }

  private static let least = 4
  /// How many entries may lie between a write and the first value of its stream.
  private static let reach = 256

  private let builder: EntryBuilder
  private let configurations: [AttributeHandle: AttributeHandle]
  private var runs = HandleTable<Run>()
  private var attributes: Set<AttributeHandle> = []
  /// Attributes whose run has not ended yet, by the attribute that is written.
  private var waiting = HandleTable<[AttributeHandle]>()

  /// Marks in `anchors` what the next write ends.
  static func mark(_ anchors: inout EntryAnchors, _ builder: EntryBuilder, configurations: [AttributeHandle: AttributeHandle]) {
    var ends = StreamEnds(builder: builder, configurations: configurations)
    for (index, outline) in builder.outlines.enumerated() {
      guard let attribute = builder.recording.pdus[Int(outline.first)].attribute else { continue }
      if outline.isWrite {
        if let ended = ends.waiting[attribute] {
          for told in ended where ends.runs[told]?.handle == attribute { ends.runs[told]?.end = index }
          ends.waiting[attribute] = nil
        }
        // Unsubscribing ends a stream by itself.
        if let value = configurations[attribute] { ends.close(value, at: nil, &anchors) }
      } else if outline.isTold {
        ends.add(index, attribute, &anchors)
      }
    }
    let last = builder.recording.pdus.last?.time
    for attribute in ends.attributes.sorted() { ends.close(attribute, at: last, &anchors) }
  }

  private init(builder: EntryBuilder, configurations: [AttributeHandle: AttributeHandle]) {
    (self.builder, self.configurations) = (builder, configurations)
  }

  private func time(_ entry: Int) -> Int64 { builder.recording.pdus[Int(builder.outlines[entry].first)].time }

  private mutating func add(_ index: Int, _ attribute: AttributeHandle, _ anchors: inout EntryAnchors) {
    let choice = anchors.choices[index]
    if choice.kind == .previous, runs[attribute] != nil {
      if runs[attribute]?.end == nil { runs[attribute]?.entries.append(Int32(index)) } else { runs[attribute]?.goesOn = true }
      return
    }
    close(attribute, at: time(index), &anchors)
    guard choice.kind == .entry, case let cause = builder.outlines[Int(choice.cause)], cause.isWrite,
      let handle = builder.recording.pdus[Int(cause.first)].attribute, configurations[handle] == nil
    else { return }
    // A write that came before the first value would have ended it already.
    guard index - Int(choice.cause) <= Self.reach,
      !builder.outlines[Int(choice.cause)..<index].dropFirst().contains(where: {
        $0.isWrite && builder.recording.pdus[Int($0.first)].attribute == handle
      })
    else { return }
    runs[attribute] = Run(handle: handle, entries: [Int32(index)])
    waiting[handle, default: []].append(attribute)
    attributes.insert(attribute)
  }

  /// Ends the run of an attribute, which had no further value until `until`.
  private mutating func close(_ attribute: AttributeHandle, at until: Int64?, _ anchors: inout EntryAnchors) {
    guard let run = runs[attribute] else { return }
    runs[attribute] = nil
    guard let until, let end = run.end, !run.goesOn, run.entries.count >= Self.least, let last = run.entries.last else { return }
    let gaps = zip(run.entries, run.entries.dropFirst()).map { time(Int($1)) - time(Int($0)) }
    let usual = gaps.sorted()[gaps.count / 2]
    // A burst ends by itself.
    guard usual >= 10_000_000, gaps.count(where: { $0 <= 2 * usual && $0 * 2 >= usual }) * 5 >= gaps.count * 4,
      time(end) - time(Int(last)) <= usual + usual / 2, until - time(end) >= 2 * usual + usual / 2
    else { return }
    for entry in run.entries { anchors.end(Int(entry)) }
  }
}
