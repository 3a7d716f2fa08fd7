import ReplayScenarios
import SessionReconstruction

/// Finds what a peripheral tells at every n-th write of a stream, as a receipt that is due each dozen packets of an update.
///
/// A stream is a run of writes to one attribute, uninterrupted by writes to another. Receipts are values of one attribute and one
/// length whose number is exactly that of the whole dozens, and each of which came when its dozen was complete.
struct WriteStreamFinder {
  /// A receipt: its entry, the stream, and the write that completed the number.
  struct Receipt {
    var entry: Int
    var stream: EntryAnchors.Stream
    var write: Int
  }

  private struct Kind: Hashable {
    var attribute: UInt16
    var length: Int
  }

  private static let leastWrites = 8
  private static let leastReceipts = 4

  private let builder: EntryBuilder
  private(set) var receipts: [Receipt] = []
  private var handle: AttributeHandle?
  private var since: Int?
  private var sinceCompletion: Int32 = -1
  private var writes: [Int32] = []
  private var told: [Kind: [Int32]] = [:]

  init(_ builder: EntryBuilder, configurations: HandleTable<AttributeHandle>) {
    self.builder = builder
    var last: (entry: Int, handle: AttributeHandle)?
    for (index, outline) in builder.outlines.enumerated() {
      guard let attribute = builder.recording.pdus[Int(outline.first)].attribute else { continue }
      if outline.isWrite {
        if attribute != handle || configurations[attribute] != nil {
          close()
          handle = attribute
          since = last?.entry
          sinceCompletion = last.map { builder.outlines[$0.entry].completion } ?? -1
        }
        last = (index, attribute)
        // The parts of a long write are no packets of a stream.
        if outline.long < 0 { writes.append(Int32(index)) } else { handle = nil }
      } else if outline.isTold, writes.count >= 2 {
        // What was told while a first write stood alone is no receipt of a stream.
        told[Kind(attribute: attribute.rawValue, length: builder.value(outline).byteCount), default: []].append(Int32(index))
      }
    }
    close()
  }

  /// Ends the run of writes, and looks at what was told in it.
  private mutating func close() {
    defer {
      writes.removeAll(keepingCapacity: true)
      told.removeAll(keepingCapacity: true)
    }
    guard let handle, writes.count >= Self.leastWrites, since == nil || sinceCompletion >= 0,
      // Writes that arrived before the one that begins the count was complete would not be counted.
      let first = writes.first, builder.outlines[Int(first)].first > sinceCompletion
    else { return }
    for entries in told.values.sorted(by: { ($0.count, $1[0]) > ($1.count, $0[0]) }) where entries.count >= Self.leastReceipts {
      guard let count = count(entries) else { continue }
      let stream = EntryAnchors.Stream(count: count, handle: handle, since: since)
      for (place, entry) in entries.enumerated() {
        receipts.append(Receipt(entry: Int(entry), stream: stream, write: Int(writes[(place + 1) * count - 1])))
      }
    }
  }

  /// The number of writes for each of the entries: the largest that was complete before each.
  private func count(_ entries: [Int32]) -> Int? {
    let most = writes.count / entries.count
    let least = max(2, writes.count / (entries.count + 1) + 1)
    guard least <= most else { return nil }
    for count in stride(from: most, through: least, by: -1) {
      let isTimely = entries.enumerated().allSatisfy { place, entry in
        let write = Int(writes[(place + 1) * count - 1])
        return builder.outlines[write].first < builder.outlines[Int(entry)].first
      }
      if isTimely { return count }
    }
    return nil
  }
}
