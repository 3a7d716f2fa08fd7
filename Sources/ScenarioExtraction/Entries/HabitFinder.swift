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

  /// Entries that are learnt from: of a longer session the first.
  private static let reach = 1 << 16
  /// Messages that are looked at for labels in all.
  private static let sampleLimit = 8192

  /// Passes over what has a cause in `anchors`; `walk` stands at the beginning of the session.
  init(_ builder: EntryBuilder, _ frames: MessageFrames, _ walk: CauseWalk, _ anchors: EntryAnchors, usesLabels: Bool) {
    (self.builder, self.frames) = (builder, frames)
    var walk = walk
    var places = HandleTable<Int>()
    var counts: [ReplyCounts] = []
    var attributes: [AttributeHandle] = []
    for index in builder.outlines.indices.prefix(Self.reach) {
      count(index)
      guard let found = walk.next(index), found.beginsMessage, let attribute = found.attribute, anchors.choices[index].kind == .none else {
        continue
      }
      let place = places[attribute] ?? counts.count
      if place == counts.count {
        places[attribute] = place
        attributes.append(attribute)
        counts.append(ReplyCounts())
      }
      count(index, found, in: &counts[place])
    }
    var samples = 0
    for (attribute, count) in zip(attributes, counts) {
      let habit = ReplyHabits(count, asked: asked, latencyInOrder: latencyInOrder)
      if usesLabels, let ask = habit.ask, ask.kind == .write, samples < Self.sampleLimit {
        samples += count.samples.count
        habit.labels = labels(count.samples, ask.handle)
      }
      habits[attribute] = habit
    }
    for index in builder.outlines.indices.dropFirst(Self.reach) where builder.outlines[index].isWrite { count(index) }
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
      let gap = last < 0 ? time(now) : time(now) - time(last)
      counts.addFree(gap: gap, entry: index)
      if let read = found.read, read.completion > last { counts.count(Ask(kind: .read, handle: handle(read.entry)), latency: gap) }
      if let confirmed = found.confirmed, confirmed.completion > last, handle(confirmed.entry) != found.attribute {
        counts.count(Ask(kind: .confirmation, handle: handle(confirmed.entry)), latency: gap)
      }
    }
  }

  private func asked(_ ask: Ask) -> Int {
    switch ask.kind {
    case .write: writes[ask.handle]?.count ?? 0
    case .read: reads[ask.handle] ?? 0
    case .confirmation: confirmations[ask.handle] ?? 0
    }
  }

  /// The time in which nearly all messages come, if each write is answered in its turn and none is left over; `nil` where that cannot be.
  private func latencyInOrder(_ messages: [Int32], _ handle: AttributeHandle) -> Int64? {
    let asked = writes[handle] ?? []
    guard asked.count == messages.count, zip(asked, messages).allSatisfy({ $0 < $1 }) else { return nil }
    let latencies = zip(asked, messages).map { write, message in
      let (write, now) = (builder.outlines[Int(write)], Int(builder.outlines[Int(message)].first))
      return builder.recording.pdus[now].time - builder.recording.pdus[min(write.completed ?? now, now)].time
    }
    return latencies.sorted()[latencies.count * 9 / 10]
  }

  private func labels(_ entries: [(entry: Int32, previous: Int32)], _ handle: AttributeHandle) -> ReplyLabels? {
    let asked = writes[handle] ?? []
    var samples: [ReplyLabels.Sample] = []
    var place = 0
    for (entry, previous) in entries {
      while place < asked.count, asked[place] < entry { place += 1 }
      guard place > 0 else { continue }
      let near = asked[max(0, place - ReplyLabels.reach)..<place].reversed()
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
