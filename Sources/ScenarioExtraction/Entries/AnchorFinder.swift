import ReplayScenarios
import SessionReconstruction

/// Ties what a peripheral began to its cause.
///
/// Which attribute answers which, how a message is divided, and by which bytes it names its request are learnt from the whole
/// session first; then each message gets its cause. Where nothing was learnt, that is the latest write whose response had been seen, or
/// command that had arrived; between a CCCD write and its response it is that request; after an earlier value of the same attribute it
/// is that one. A stream that goes on in its own rhythm chains to itself, whatever was written meanwhile. Without any of them it is the
/// encryption of the link, else the connection.
struct AnchorFinder {
  private let builder: EntryBuilder
  private let configurations: HandleTable<AttributeHandle>
  private let frames: MessageFrames
  private let habits: HandleTable<ReplyHabits>
  private let writes: HandleTable<[Int32]>
  private var walk: CauseWalk
  private var anchors: EntryAnchors
  /// For each attribute that answers writes, the place of the first that it has not answered, and of the end of those that were made.
  private var unanswered = HandleTable<Int>()
  private var made = HandleTable<Int>()

  /// Where the link was encrypted: the event, and when it was complete; and how many of them a message has behind it.
  private let encryptions: [(event: Int, completion: Int64)]
  private var encrypted = 0

  private typealias Choice = EntryAnchors.Choice
  private typealias Candidates = CauseWalk.Candidates

  /// How many unanswered writes a message is held against.
  private static let reach = 64

  /// `configurations` tells the value of the characteristic that each CCCD belongs to; `usesLabels`, whether messages are held against
  /// requests byte by byte.
  init(_ builder: EntryBuilder, configurations: [AttributeHandle: AttributeHandle], usesLabels: Bool) {
    let configurations = HandleTable(configurations)
    (self.builder, self.configurations) = (builder, configurations)
    encryptions = Self.encryptions(builder.recording)
    frames = MessageFrames(builder, configurations: configurations)
    walk = CauseWalk(builder, frames, configurations: configurations)
    anchors = EntryAnchors(count: builder.outlines.count)
    Self.add(WriteStreamFinder(builder, configurations: configurations).receipts, to: &anchors, builder)
    let learnt = HabitFinder(builder, frames, walk, anchors, usesLabels: usesLabels)
    (habits, writes) = (learnt.habits, learnt.writes)
  }

  private static func encryptions(_ recording: LinkRecording) -> [(event: Int, completion: Int64)] {
    recording.events.enumerated().compactMap { place, event in
      guard case .encrypt = event.procedure, event.outcome == .success, let end = event.end else { return nil }
      return (place, recording.time(of: event) + max(0, end.nanoseconds(since: event.time)))
    }.sorted { $0.completion < $1.completion }
  }

  private static func add(_ receipts: [WriteStreamFinder.Receipt], to anchors: inout EntryAnchors, _ builder: EntryBuilder) {
    var place = -1
    var last: (since: Int?, handle: AttributeHandle, count: Int)?
    for receipt in receipts {
      let stream = receipt.stream
      if last.map({ $0 != (stream.since, stream.handle, stream.count) }) ?? true { place = anchors.add(stream) }
      last = (stream.since, stream.handle, stream.count)
      let (write, told) = (Int(builder.outlines[receipt.write].first), Int(builder.outlines[receipt.entry].first))
      anchors.set(
        Choice(.every, place, delay: builder.recording.pdus[told].time - builder.recording.pdus[write].time), of: receipt.entry)
    }
  }

  /// Anchors of the peripheral's entries, and the entries that they name.
  mutating func found() -> EntryAnchors {
    for index in builder.outlines.indices {
      guard let candidates = walk.next(index) else {
        let outline = builder.outlines[index]
        if outline.isWrite, let handle = builder.recording.pdus[Int(outline.first)].attribute { made[handle, default: 0] += 1 }
        continue
      }
      if anchors.choices[index].kind == .none { anchors.set(choice(index, candidates), of: index) }
      // An end of the subscription that came between both did not call it off.
      if let attribute = candidates.attribute, let end = walk.unsubscribed[attribute], isOlder(index, than: end) { anchors.keep(index) }
    }
    StreamEnds.mark(&anchors, builder, writes, configurations)
    return anchors
  }

  /// Whether an entry's delay counts from before a PDU.
  private func isOlder(_ entry: Int, than pdu: Int) -> Bool {
    let choice = anchors.choices[entry]
    let time = builder.recording.pdus[Int(builder.outlines[entry].first)].time - choice.delay
    return choice.kind == .connection || time < builder.recording.pdus[pdu].time
  }

  private func delay(from: Int, to: Int) -> Int64 { builder.recording.pdus[to].time - builder.recording.pdus[from].time }

  // MARK: - One entry

  private mutating func choice(_ index: Int, _ found: Candidates) -> Choice {
    let now = Int(builder.outlines[index].first)
    if let pending = found.pending { return Choice(.request, pending, delay: delay(from: Int(builder.outlines[pending].first), to: now)) }
    if !found.beginsMessage, let previous = found.previous { return chained(previous, now) }
    let habit = found.attribute.flatMap { habits[$0] }
    if let habit, let ask = habit.ask, let asked = answered(index, now, found, habit, ask) { return after(asked, now) }
    return unasked(now, found, habit)
  }

  /// An entry behind the one before on its attribute.
  private func chained(_ previous: Int, _ now: Int) -> Choice {
    if let completion = builder.outlines[previous].completed, completion < now {
      return Choice(.previous, delay: delay(from: completion, to: now))
    }
    // The one before is not confirmed yet: what counts is when it was sent.
    return Choice(.request, previous, delay: delay(from: Int(builder.outlines[previous].first), to: now))
  }

  /// An entry behind another, or behind its request where that is not complete yet.
  private func after(_ entry: Int, _ now: Int) -> Choice {
    if let completion = builder.outlines[entry].completed, completion < now {
      return Choice(.entry, entry, delay: delay(from: completion, to: now))
    }
    return Choice(.request, entry, delay: delay(from: Int(builder.outlines[entry].first), to: now))
  }

  /// A message that answers nothing that its attribute usually answers.
  private mutating func unasked(_ now: Int, _ found: Candidates, _ habit: ReplyHabits?) -> Choice {
    let last = found.previousMessage.map { Int(builder.outlines[$0].first) } ?? -1
    let written = found.written.flatMap { done in
      done.completion > last && habit?.mayAnswer(handle(done.entry)) ?? true || found.previous == nil ? done : nil
    }
    let subscribed = found.subscribed.flatMap { $0.completion > last ? $0 : nil }
    if let previous = found.previous, subscribed == nil {
      let isFree = written.map { keepsRhythm(previous, now, habit) && !(habit?.prompting.contains(handle($0.entry)) ?? false) } ?? true
      // A part of a longer answer has no label and comes at once.
      let isPart = habit?.labels != nil && delay(from: Int(builder.outlines[previous].first), to: now) <= habit?.latency ?? 0
      if isFree || isPart { return chained(previous, now) }
    }
    var latest = written ?? subscribed
    if let written, let subscribed, subscribed.completion > written.completion { latest = subscribed }
    if let latest = latest ?? found.configured { return after(latest.entry, now) }
    // A bonded central need not subscribe anew: once the link is encrypted, the device knows it.
    let time = builder.recording.pdus[now].time
    while encrypted < encryptions.count, encryptions[encrypted].completion <= time { encrypted += 1 }
    if encrypted > 0, case let last = encryptions[encrypted - 1] { return Choice(.event, last.event, delay: time - last.completion) }
    return Choice(.connection, delay: time)
  }

  /// Whether an entry goes on in its attribute's rhythm: not sooner than half of it, nor later than twice.
  private func keepsRhythm(_ previous: Int, _ now: Int, _ habit: ReplyHabits?) -> Bool {
    guard let rhythm = habit?.rhythm else { return false }
    let gap = delay(from: Int(builder.outlines[previous].first), to: now)
    return gap >= rhythm / 2 && gap / 2 <= rhythm
  }

  private func handle(_ entry: Int) -> AttributeHandle {
    builder.recording.pdus[Int(builder.outlines[entry].first)].attribute ?? AttributeHandle(0)
  }

  // MARK: - Answers

  /// What a message answers, of what its attribute usually answers.
  private mutating func answered(_ index: Int, _ now: Int, _ found: Candidates, _ habit: ReplyHabits, _ ask: Ask) -> Int? {
    let last = found.previousMessage.map { Int(builder.outlines[$0].first) } ?? -1
    func latest(_ done: CauseWalk.Completed?) -> Int? {
      done.flatMap { $0.completion > last && handle($0.entry) == ask.handle ? $0.entry : nil }
    }
    switch ask.kind {
    case .read: return latest(found.written.map { $0.completion > last } ?? false ? nil : found.read)
    case .confirmation: return latest(found.written.map { $0.completion > last } ?? false ? nil : found.confirmed)
    case .write: break
    }
    guard let attribute = found.attribute, let asked = writes[ask.handle] else { return nil }
    let end = made[ask.handle] ?? 0
    let first = max(unanswered[attribute] ?? 0, end - Self.reach)
    guard first < end else { return nil }
    guard
      let place = habit.labels.map({ labelled($0, index, found.previous, asked[first..<end], now, habit) })
        ?? inOrder(asked[first..<end], now, habit)
    else { return nil }
    unanswered[attribute] = place + 1
    return Int(asked[place])
  }

  /// The first of the unanswered writes whose labels a message has; a later one, where the first is older than answers are.
  private func labelled(
    _ labels: ReplyLabels, _ index: Int, _ previous: Int?, _ asked: ArraySlice<Int32>, _ now: Int, _ habit: ReplyHabits
  ) -> Int? {
    let message = frames.bytes(of: index, after: previous, builder)
    var found: Int?
    for place in asked.indices {
      let outline = builder.outlines[Int(asked[place])]
      guard outline.long < 0, labels.match(MessageBytes(builder.value(outline)), message) else { continue }
      found = place
      if !isOld(outline, now, habit) { break }
    }
    return found
  }

  /// The write that is answered where nothing in the message tells: the first that is complete where each gets one answer, else the last.
  private func inOrder(_ asked: ArraySlice<Int32>, _ now: Int, _ habit: ReplyHabits) -> Int? {
    var found: Int?
    for place in asked.indices {
      let outline = builder.outlines[Int(asked[place])]
      guard let completion = outline.completed, completion < now else { continue }
      found = place
      if habit.isOneEach, !isOld(outline, now, habit) { break }
    }
    return found
  }

  /// Whether an answer to a write would come far later than answers do.
  private func isOld(_ outline: EntryOutline, _ now: Int, _ habit: ReplyHabits) -> Bool {
    delay(from: min(outline.completed ?? now, now), to: now) / 4 > habit.latency
  }
}
