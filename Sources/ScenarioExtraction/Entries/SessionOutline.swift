import ReplayScenarios
import SessionReconstruction

/// A session in short: what stands before its entries, and the entries one by one.
struct SessionOutline {
  /// The session without its entries.
  private(set) var frame: Session
  /// Whether the device told a value that nothing had subscribed to.
  private(set) var tellsUnsubscribed = false
  /// The largest MTU that the device granted.
  private(set) var grantedMTU = 0
  private let builder: EntryBuilder?
  private var anchors = EntryAnchors(count: 0)
  private var ending: TimelineEntry?

  /// `configurations` tells the value of the characteristic that each CCCD belongs to; `usesLabels`, whether messages are held against
  /// requests byte by byte.
  init(_ link: Link, _ builder: EntryBuilder?, _ configurations: [AttributeHandle: AttributeHandle], usesLabels: Bool) {
    let parameters = ConnectionParameters(interval: link.initialInterval, latency: link.initialLatency, timeout: link.initialTimeout)
    frame = Session(link: link.index, time: link.start.iso8601, parameters: link.isImplicit ? nil : parameters)
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
    }
    ending = end(of: link)
    if let builder { follow(builder, link, configurations) }
  }

  /// The ATT MTU at the beginning: where it was exchanged before the capture began, what the longest PDU tells of it.
  static func mtu(atStartOf link: Link, _ recording: LinkRecording) -> Int {
    link.isImplicit && !recording.pdus.contains { $0.opcode == .exchangeMTUResponse } ? max(23, link.mtu) : 23
  }

  /// How many entries there are.
  var count: Int { (builder?.outlines.count ?? 0) + (ending == nil ? 0 : 1) }

  /// An entry in full.
  func entry(_ index: Int) -> TimelineEntry? {
    guard let builder, index < builder.outlines.count else { return ending }
    var entry = builder.entry(index)
    entry.anchor = anchors.anchor(of: index)
    if anchors.isNamed[index] { entry.id = EntryAnchors.name(of: index) }
    return entry
  }

  /// Writes an entry; the plain ones go from the recording to the text without being made.
  func write(_ index: Int, to writer: inout ScenarioWriter) {
    guard let builder, index < builder.outlines.count else {
      if let ending { writer.writeEntry(ending) }
      return
    }
    let outline = builder.outlines[index]
    guard outline.long < 0, let key = Self.plainKey(outline.action), let handle = builder.recording.pdus[Int(outline.first)].attribute,
      let answer = builder.plainAnswer(outline)
    else {
      if let entry = entry(index) { writer.writeEntry(entry) }
      return
    }
    let choice = anchors.choices[index]
    let (anchor, anchorName) = anchors.line(of: index)
    let request = builder.recording.pdus[Int(outline.first)]
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

  // MARK: - The end

  /// The end of a link as an entry; `nil` where the capture ends first.
  private mutating func end(of link: Link) -> TimelineEntry? {
    guard let end = link.end, let reason = link.endReason else { return nil }
    let last = builder?.recording.pdus.last?.time ?? -1
    let at = max(end.nanoseconds(since: link.start), last + 1)
    let time = Duration.nanoseconds(at)
    switch Self.ender(of: link, reason) {
    case .central: return TimelineEntry(at: time, origin: .central, action: .disconnect(.connectionTerminatedByLocalHost))
    case .peripheral:
      // A central's host is told why the peripheral ended it, never 0x16.
      let seen = reason == .connectionTerminatedByLocalHost ? .remoteUserTerminatedConnection : reason
      return TimelineEntry(at: time, origin: .peripheral, action: .disconnect(seen), anchor: lastCause(before: at))
    case nil: return TimelineEntry(at: time, origin: .peripheral, action: .vanish, anchor: lastCause(before: at))
    }
  }

  /// The end that closed a link; `nil` where it was lost. What neither asked for counts as the peripheral's.
  private static func ender(of link: Link, _ reason: HCIErrorCode) -> LinkRole? {
    if let air = link.air { return air.endedBy }
    return switch reason {
    case .connectionTimeout: nil
    // A host is told 0x16 for what it ended itself.
    case .connectionTerminatedByLocalHost: link.peerRole.other
    // These a host gives for a reason when it ends a link, and the other end is told (Core 5.4, Vol 4, Part E, 7.1.6).
    case .remoteUserTerminatedConnection, .remoteDeviceLowResources, .remoteDevicePowerOff, .authenticationFailure,
      .unsupportedRemoteFeature, .pairingWithUnitKeyNotSupported, .unacceptableConnectionParameters:
      link.peerRole
    default: .peripheral
    }
  }

  /// The last thing that was completed and that a replayed app has to do, too: not discovery or MTU.
  private mutating func lastCause(before at: Int64) -> Anchor {
    var best: (entry: Int, completion: Int)?
    for (index, outline) in (builder?.outlines ?? []).enumerated() {
      guard let completion = outline.completed, outline.action != .exchangeMTU, outline.action != .pdu else { continue }
      if best.map({ $0.completion < completion }) ?? true { best = (index, completion) }
    }
    guard let best, let builder else { return Anchor(.connection, delay: .nanoseconds(at)) }
    anchors.name(best.entry)
    return Anchor(
      .entry(EntryAnchors.name(of: best.entry)), delay: .nanoseconds(at - builder.recording.pdus[best.completion].time))
  }

  // MARK: - What the entries tell of the session

  /// Follows MTU and subscriptions: what a bonded central had set before, and what was told without any.
  private mutating func follow(_ builder: EntryBuilder, _ link: Link, _ configurations: [AttributeHandle: AttributeHandle]) {
    var descriptors = HandleTable<AttributeHandle>()
    for (descriptor, value) in configurations { descriptors[value] = min(descriptors[value] ?? descriptor, descriptor) }
    var values = HandleTable<UInt16>()
    var written: Set<AttributeHandle> = []
    for (index, outline) in builder.outlines.enumerated() {
      switch (outline.action, outline.isFromCentral) {
      case (.exchangeMTU, true): if case .mtu(let granted)? = builder.entry(index).answer { grantedMTU = max(grantedMTU, Int(granted)) }
      case (.write, true):
        guard let handle = builder.recording.pdus[Int(outline.first)].attribute, configurations[handle] != nil,
          case let entry = builder.entry(index), case .write(_, let value) = entry.action, value.count == 2, entry.answer == .ok
        else { break }
        written.insert(handle)
        values[handle] = UInt16(value[0]) | UInt16(value[1]) << 8
      case (.notify, false), (.indicate, false):
        // Once both are known there is nothing to learn from the many that follow.
        guard !tellsUnsubscribed || link.isEncrypted, let attribute = builder.recording.pdus[Int(outline.first)].attribute,
          let descriptor = descriptors[attribute]
        else { break }
        let bit: UInt16 = outline.action == .indicate ? 2 : 1
        guard values[descriptor, default: 0] & bit == 0 else { break }
        if link.isEncrypted, !written.contains(descriptor) {
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
