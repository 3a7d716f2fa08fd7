import CaptureFiles
import ReplayScenarios
import SessionReconstruction

/// A session in short: what stands before its entries, and the entries one by one.
struct SessionOutline {
  /// The session without its entries.
  var frame: Session
  /// Whether the device told a value that nothing had subscribed to.
  private(set) var tellsUnsubscribed = false
  /// The largest MTU that the device granted.
  private(set) var grantedMTU = 0
  private let builder: EntryBuilder?
  private var anchors = EntryAnchors(count: 0)
  private var events = EventEntries()
  /// The order of both: places of the attributes' entries, and behind all of these the events'; empty where there is no event.
  private var order: [Int] = []
  private var ending: TimelineEntry?
  /// The numbers of the databases that hold from an entry on.
  private let changes: [Int: Int]
  /// CCCDs of the databases that hold in the session.
  private let descriptors: Set<AttributeHandle>
  /// Which values count as the recorded one, for writes where that is not the value alone, by the entry's place.
  var matchers: [Int: WriteMatcher] = [:]

  /// `databases` tells the value of the characteristic that each CCCD belongs to, for each database; `usesLabels`, whether messages are
  /// held against requests byte by byte; `endsForSilence`, whether the device ended the link for nothing had gone over it; `keepsKeys`,
  /// whether the values of keys are kept.
  init(
    _ link: Link, _ builder: EntryBuilder?, _ course: DatabaseHistory.Course, _ databases: [[AttributeHandle: AttributeHandle]],
    usesLabels: Bool, endsForSilence: Bool, keepsKeys: Bool
  ) {
    let configurations = ([course.start] + course.changes.sorted { $0.key < $1.key }.map(\.value)).reduce(
      into: [AttributeHandle: AttributeHandle]()
    ) { known, number in
      if databases.indices.contains(number - 1) { known.merge(databases[number - 1]) { first, _ in first } }
    }
    changes = course.changes
    descriptors = Set(configurations.keys)
    let parameters = ConnectionParameters(interval: link.initialInterval, latency: link.initialLatency, timeout: link.initialTimeout)
    frame = Session(link: link.index, time: link.start.iso8601, parameters: link.isImplicit || !link.isLowEnergy ? nil : parameters)
    frame.database = course.start
    self.builder = builder
    frame.complete = !link.isImplicit
    if let builder {
      frame.mtu = Self.mtu(atStartOf: link, builder.recording)
      // An app under test asks for its own, which the device has granted once.
      grantedMTU = frame.mtu
    }
    if builder?.outlines.isEmpty ?? true, link.endReason == .connectionFailedToBeEstablished {
      frame.failed = link.endReason
      return
    }
    if let builder {
      var finder = AnchorFinder(builder, configurations: configurations, usesLabels: usesLabels)
      anchors = finder.found()
      events = EventEntries(builder, keepsKeys: keepsKeys)
    }
    ending = end(of: link, forSilence: endsForSilence)
    if let builder {
      follow(builder, link, configurations)
      events.tie(to: builder, &anchors)
      order = Self.order(of: builder.outlines.count, events.places)
    }
  }

  private static func order(of count: Int, _ places: [Int]) -> [Int] {
    guard !places.isEmpty else { return [] }
    var order: [Int] = []
    order.reserveCapacity(count + places.count)
    for (event, place) in places.enumerated() {
      while order.count - event < place { order.append(order.count - event) }
      order.append(count + event)
    }
    while order.count - places.count < count { order.append(order.count - places.count) }
    return order
  }

  /// The ATT MTU at the beginning: where it was exchanged before the capture began, what the longest PDU tells of it.
  static func mtu(atStartOf link: Link, _ recording: LinkRecording) -> Int {
    // Over BR/EDR the channel's configuration sets it.
    if !link.isLowEnergy { return link.mtu }
    return link.isImplicit && !recording.pdus.contains { $0.opcode == .exchangeMTUResponse } ? max(23, link.mtu) : 23
  }

  /// How many entries there are.
  var count: Int { (builder?.outlines.count ?? 0) + events.entries.count + (ending == nil ? 0 : 1) }

  /// An entry in full.
  func entry(_ index: Int) -> TimelineEntry? {
    guard let builder, index < builder.outlines.count + events.entries.count else { return ending }
    let place = order.isEmpty ? index : order[index]
    guard place < builder.outlines.count else { return events.entries[place - builder.outlines.count] }
    var entry = builder.entry(place)
    entry.anchor = anchors.anchor(of: place)
    if anchors.isNamed[place] { entry.id = EntryAnchors.name(of: place) }
    entry.database = changes[place]
    if let matcher = matchers[index] { entry.matcher = matcher }
    return entry
  }

  /// Writes the entries; `written` is called behind each.
  func writeEntries(
    to writer: inout ScenarioWriter, _ written: (inout ScenarioWriter) throws(CaptureError) -> Void
  ) throws(CaptureError) {
    // Taken out once: its arrays are counted references.
    let builder = builder
    for number in 0..<count {
      if let builder { write(number, of: builder, to: &writer) } else { writeWhole(number, to: &writer) }
      try written(&writer)
    }
  }

  /// Writes an entry; the plain ones go from the recording to the text without being made.
  private func write(_ number: Int, of builder: EntryBuilder, to writer: inout ScenarioWriter) {
    let index = number < order.count ? order[number] : number
    guard index < builder.outlines.count, case let outline = builder.outlines[index], outline.long < 0,
      changes.isEmpty || changes[index] == nil, matchers.isEmpty || matchers[number] == nil,
      case let request = builder.recording.pdus[Int(outline.first)], request.bearer == nil,
      let key = Self.plainKey(outline.action), let handle = request.attribute, let answer = builder.plainAnswer(outline)
    else { return writeWhole(number, to: &writer) }
    let choice = anchors.choices[index]
    let (anchor, anchorName) = anchors.line(of: index)
    let isAnswered = outline.asks && outline.completion >= 0
    writer.writeLine(
      EntryLine(
        at: request.time, isFromCentral: outline.isFromCentral, key: key, number: handle.rawValue,
        value: builder.recording.span(Int(outline.first)).suffix(from: 3), answer: answer,
        answerBytes: answer == .value ? builder.recording.span(Int(outline.completion)).suffix(from: 1) : RawSpan(),
        latency: isAnswered ? builder.recording.pdus[Int(outline.completion)].time - request.time : nil,
        name: anchors.isNamed[index] ? .number(index + 1) : .none, anchor: anchor, anchorName: anchorName, delay: choice.delay,
        cancel: choice.cancel))
  }

  /// Writes an entry by way of the whole of it; by itself, for whole entries are large and the plain ones are many.
  @inline(never)
  private func writeWhole(_ number: Int, to writer: inout ScenarioWriter) { if let entry = entry(number) { writer.writeEntry(entry) } }

  private static func plainKey(_ action: EntryOutline.Action) -> ScenarioKeys.Entry? {
    switch action {
    case .read: .read
    case .write: .write
    case .writeCommand: .command
    case .notify: .notify
    case .indicate: .indicate
    case .exchangeMTU, .readBlob, .pdu: nil
    }
  }

  /// Hands what is written, and what comes then, to a comparison of sessions.
  func compare(in comparison: inout WriteComparison, session: Int) {
    guard let builder else { return }
    comparison.begin(session, database: frame.database, configurations: descriptors)
    for number in 0..<(builder.outlines.count + events.entries.count) {
      let index = order.isEmpty ? number : order[number]
      guard index < builder.outlines.count else { continue }
      let outline = builder.outlines[index]
      let isWanted =
        switch outline.action {
        case .write, .writeCommand:
          outline.isFromCentral
            && builder.recording.pdus[Int(outline.first)].attribute.map {
              comparison.wantsWrite(to: $0, isCommand: outline.action == .writeCommand)
            } ?? false
        case .read: outline.isFromCentral && comparison.wantsAnswer
        case .notify, .indicate: !outline.isFromCentral && comparison.wantsAnswer
        case .exchangeMTU, .readBlob, .pdu: false
        }
      if isWanted { comparison.add(builder.entry(index), at: number) }
    }
  }

  // MARK: - The end

  /// The end of a link as an entry; `nil` where the capture ends first.
  private mutating func end(of link: Link, forSilence: Bool) -> TimelineEntry? {
    guard let reason = link.endReason, let at = LinkEnding.time(of: link, builder?.recording) else { return nil }
    let time = Duration.nanoseconds(at)
    switch LinkEnding.ender(of: link, reason) {
    case .central: return TimelineEntry(at: time, origin: .central, action: .disconnect(.connectionTerminatedByLocalHost))
    case .peripheral:
      // A central's host is told why the peripheral ended it, never 0x16.
      let seen = reason == .connectionTerminatedByLocalHost ? .remoteUserTerminatedConnection : reason
      let anchor =
        forSilence ? Anchor(.idle, delay: .nanoseconds(at - (builder?.recording.pdus.last?.time ?? 0))) : lastCause(before: at)
      return TimelineEntry(at: time, origin: .peripheral, action: .disconnect(seen), anchor: anchor)
    case nil:
      // The central waited for the supervision timeout; what it heard meanwhile had been on its way before.
      let wait = min(Int64(link.timeout) * 10_000_000, at - (builder?.recording.lastTime ?? -1) - 1)
      let start = at - max(0, wait)
      return TimelineEntry(
        at: .nanoseconds(start), origin: .peripheral, action: .vanish, latency: .nanoseconds(max(0, wait)), anchor: lastCause(before: start)
      )
    }
  }

  /// The last thing that a replayed app has to do or to get, too, as it does discovery and MTU its own way: when it was completed, or
  /// where it never was, when it was asked.
  private mutating func lastCause(before at: Int64) -> Anchor {
    var best: (entry: Int, pdu: Int)?
    for (index, outline) in (builder?.outlines ?? []).enumerated() where outline.action != .exchangeMTU && outline.action != .pdu {
      let pdu = outline.completed ?? Int(outline.first)
      if best.map({ $0.pdu < pdu }) ?? true { best = (index, pdu) }
    }
    guard let best, let builder else { return Anchor(.connection, delay: .nanoseconds(at)) }
    anchors.name(best.entry)
    let name = EntryAnchors.name(of: best.entry)
    return Anchor(
      builder.outlines[best.entry].completed == nil ? .request(name) : .entry(name),
      delay: .nanoseconds(at - builder.recording.pdus[best.pdu].time))
  }

  // MARK: - What the entries tell of the session

  /// Follows MTU and subscriptions: what a bonded central, or one whose link is older than the capture, had set before, and what was told
  /// without any.
  private mutating func follow(_ builder: EntryBuilder, _ link: Link, _ configurations: [AttributeHandle: AttributeHandle]) {
    var descriptors = HandleTable<AttributeHandle>()
    for (descriptor, value) in configurations { descriptors[value] = min(descriptors[value] ?? descriptor, descriptor) }
    var values = HandleTable<UInt16>()
    // What a write ends is told until its response.
    var ended: [(completion: Int, descriptor: AttributeHandle, value: UInt16)] = []
    var nextEnded = 0
    var written: Set<AttributeHandle> = []
    let maySetBefore = link.isEncrypted || link.isImplicit
    for (index, outline) in builder.outlines.enumerated() {
      while nextEnded < ended.count, ended[nextEnded].completion < outline.first {
        values[ended[nextEnded].descriptor] = ended[nextEnded].value
        nextEnded += 1
      }
      switch (outline.action, outline.isFromCentral) {
      case (.exchangeMTU, true): if case .mtu(let granted)? = builder.entry(index).answer { grantedMTU = max(grantedMTU, Int(granted)) }
      case (.write, true):
        guard let handle = builder.recording.pdus[Int(outline.first)].attribute, configurations[handle] != nil,
          case let entry = builder.entry(index), case .write(_, let value) = entry.action, value.count == 2, entry.answer == .ok
        else { break }
        written.insert(handle)
        let bits = UInt16(value[0]) | UInt16(value[1]) << 8
        values[handle, default: 0] |= bits
        if bits & 3 != 3 { ended.append((outline.completed ?? Int(outline.first), handle, bits)) }
      case (.notify, false), (.indicate, false):
        // Once both are known there is nothing to learn from the many that follow.
        guard !tellsUnsubscribed || maySetBefore, let attribute = builder.recording.pdus[Int(outline.first)].attribute,
          let descriptor = descriptors[attribute]
        else { break }
        let bit: UInt16 = outline.action == .indicate ? 2 : 1
        guard values[descriptor, default: 0] & bit == 0 else { break }
        if maySetBefore, !written.contains(descriptor) {
          frame.subscriptions[descriptor, default: 0] |= bit
          values[descriptor, default: 0] |= bit
        } else {
          tellsUnsubscribed = true
        }
      default: break
      }
    }
  }
}
