import ReplayScenarios
import SessionReconstruction

/// Learns from a session how each attribute answers.
struct HabitFinder {
  private(set) var habits = HandleTable<ReplyHabits>()
  /// Writes and commands to each attribute, in order.
  private(set) var writes = HandleTable<[Int32]>()
  private var reads = HandleTable<Int>()
  private var confirmations = HandleTable<Int>()
  private let builder: EntryBuilder
  private let frames: MessageFrames

  /// Messages that are looked at for labels in all.
  private static let sampleLimit = 8192

  /// Passes over what has a cause in `anchors`; `walk` stands at the beginning of the session.
  init(_ builder: EntryBuilder, _ frames: MessageFrames, _ walk: CauseWalk, _ anchors: EntryAnchors, usesLabels: Bool) {
    (self.builder, self.frames) = (builder, frames)
    var walk = walk
    var counts = HandleTable<ReplyCounts>()
    var attributes: [AttributeHandle] = []
    for index in builder.outlines.indices {
      count(index)
      guard let found = walk.next(index), found.beginsMessage, let attribute = found.attribute, anchors.choices[index].kind == .none else {
        continue
      }
      if counts[attribute] == nil { attributes.append(attribute) }
      count(index, found, in: &counts[attribute, default: ReplyCounts()])
    }
    var samples = 0
    for attribute in attributes {
      guard let count = counts[attribute] else { continue }
      var habit = ReplyHabits(count, asked: asked)
      if usesLabels, let ask = habit.ask, ask.kind == .write, samples < Self.sampleLimit {
        samples += count.samples.count
        habit.labels = labels(count.samples, ask.handle)
      }
      habits[attribute] = habit
    }
  }

  private func handle(_ entry: Int) -> AttributeHandle {
    builder.recording.pdus[Int(builder.outlines[entry].first)].attribute ?? AttributeHandle(0)
  }

  private mutating func count(_ index: Int) {
    let outline = builder.outlines[index]
    switch outline.action {
    case .write, .writeCommand: if outline.isFromCentral { writes[handle(index), default: []].append(Int32(index)) }
    case .read: if outline.isFromCentral { reads[handle(index), default: 0] += 1 }
    case .indicate: if !outline.isFromCentral { confirmations[handle(index), default: 0] += 1 }
    default: break
    }
  }

  private func count(_ index: Int, _ found: CauseWalk.Candidates, in counts: inout ReplyCounts) {
    let now = Int(builder.outlines[index].first)
    let last = found.previousMessage.map { Int(builder.outlines[$0].first) } ?? -1
    func time(_ pdu: Int) -> Int64 { builder.recording.pdus[pdu].time }
    if let written = found.written, written.completion > last {
      let ask = Ask(kind: .write, handle: handle(written.entry))
      counts.addCrossed(ask, latency: time(now) - time(written.completion), entry: index, previous: found.previous)
    } else if found.subscribed.map({ $0.completion > last }) ?? (found.pending != nil) {
      return
    } else {
      var asks: [Ask] = []
      if let read = found.read, read.completion > last { asks.append(Ask(kind: .read, handle: handle(read.entry))) }
      if let confirmed = found.confirmed, confirmed.completion > last, handle(confirmed.entry) != found.attribute {
        asks.append(Ask(kind: .confirmation, handle: handle(confirmed.entry)))
      }
      counts.addFree(gap: last < 0 ? time(now) : time(now) - time(last), asks: asks)
    }
  }

  private func asked(_ ask: Ask) -> Int {
    switch ask.kind {
    case .write: writes[ask.handle]?.count ?? 0
    case .read: reads[ask.handle] ?? 0
    case .confirmation: confirmations[ask.handle] ?? 0
    }
  }

  private func labels(_ entries: [(entry: Int32, previous: Int32)], _ handle: AttributeHandle) -> ReplyLabels? {
    let asked = writes[handle] ?? []
    var samples: [ReplyLabels.Sample] = []
    var place = 0
    for (entry, previous) in entries {
      while place < asked.count, asked[place] < entry { place += 1 }
      guard place > 0 else { continue }
      let near = asked[max(0, place - 3)..<place].reversed()
      let now = builder.outlines[Int(entry)].first
      let completed = near.firstIndex { builder.outlines[Int($0)].completion >= 0 && builder.outlines[Int($0)].completion < now }
      samples.append(
        ReplyLabels.Sample(
          message: frames.bytes(of: Int(entry), after: previous < 0 ? nil : Int(previous), builder),
          requests: near.map { MessageBytes(builder.value(builder.outlines[Int($0)])) },
          completed: completed.map { near.distance(from: near.startIndex, to: $0) } ?? 0))
    }
    return ReplyLabels(samples)
  }
}
