import ReplayScenarios
import SessionReconstruction

/// What may have caused what a peripheral tells, as a session goes on.
struct CauseWalk {
  /// An entry, and the PDU that completed it.
  struct Completed {
    private let shortEntry: Int32
    private let shortCompletion: Int32
    var entry: Int { Int(shortEntry) }
    var completion: Int { Int(shortCompletion) }

    init(entry: Int32, completion: Int32) { (shortEntry, shortCompletion) = (entry, completion) }
  }

  /// What may have caused one entry of the peripheral's.
  struct Candidates {
    var attribute: AttributeHandle?
    /// The entry before on the same attribute, and the one that began the message before.
    var previous: Int?
    var previousMessage: Int?
    /// Whether the entry begins a message.
    var beginsMessage = true
    /// The latest write or command that was complete and set no subscription, and the latest that was.
    var written: Completed?
    var configured: Completed?
    /// The latest read and the latest confirmation.
    var read: Completed?
    var confirmed: Completed?
    /// The CCCD write of the attribute that is under way.
    var pending: Int?
    /// The attribute's latest subscription.
    var subscribed: Completed?
  }

  private let builder: EntryBuilder
  private let frames: MessageFrames
  private let configurations: HandleTable<AttributeHandle>
  /// Asks of the central that were completed, and indications that were confirmed, by the PDU that completed them.
  private let completions: [(completion: Int32, entry: Int32)]
  private var nextCompletion = 0
  private var written: Completed?
  private var configured: Completed?
  private var read: Completed?
  private var confirmed: Completed?
  private var pending: (entry: Int, value: AttributeHandle, end: Int)?
  private var lastOfAttribute = HandleTable<Int>()
  private var lastMessage = HandleTable<Int>()
  private var subscribed = HandleTable<Completed>()
  private var values = HandleTable<UInt16>()
  /// The PDU that completed an attribute's latest end of a subscription.
  private(set) var unsubscribed = HandleTable<Int>()

  init(_ builder: EntryBuilder, _ frames: MessageFrames, configurations: HandleTable<AttributeHandle>) {
    (self.builder, self.frames, self.configurations) = (builder, frames, configurations)
    var completions: [(completion: Int32, entry: Int32)] = []
    for (index, outline) in builder.outlines.enumerated() where outline.completion >= 0 && Self.isCause(outline) {
      completions.append((outline.completion, Int32(index)))
    }
    if zip(completions, completions.dropFirst()).contains(where: { $0.completion > $1.completion }) {
      completions.sort { $0.completion < $1.completion }
    }
    self.completions = completions
  }

  private static func isCause(_ outline: EntryOutline) -> Bool {
    switch outline.action {
    case .write, .writeCommand, .read: outline.isFromCentral
    case .indicate: !outline.isFromCentral && outline.asks
    default: false
    }
  }

  /// Goes on to an entry; tells what may have caused it, where it is the peripheral's.
  mutating func next(_ index: Int) -> Candidates? {
    let outline = builder.outlines[index]
    while nextCompletion < completions.count, completions[nextCompletion].completion < outline.first {
      complete(Completed(entry: completions[nextCompletion].entry, completion: completions[nextCompletion].completion))
      nextCompletion += 1
    }
    guard !outline.isFromCentral else {
      if outline.action == .write, let handle = handle(index), let value = configurations[handle] {
        pending = (index, value, outline.completed ?? .max)
      }
      return nil
    }
    var found = Candidates(written: written, configured: configured, read: read, confirmed: confirmed)
    found.attribute = builder.attribute(outline)
    guard let attribute = found.attribute else { return found }
    found.previous = lastOfAttribute[attribute]
    found.previousMessage = lastMessage[attribute]
    found.beginsMessage = !outline.isTold || frames.begins(index, after: found.previous, builder)
    found.subscribed = subscribed[attribute]
    if let pending, pending.value == attribute, outline.first < pending.end, found.previous.map({ $0 < pending.entry }) ?? true {
      found.pending = pending.entry
    }
    lastOfAttribute[attribute] = index
    if found.beginsMessage { lastMessage[attribute] = index }
    return found
  }

  private func handle(_ entry: Int) -> AttributeHandle? { builder.recording.pdus[Int(builder.outlines[entry].first)].attribute }

  private mutating func complete(_ done: Completed) {
    let outline = builder.outlines[done.entry]
    switch outline.action {
    case .read: read = done
    case .indicate: confirmed = done
    default:
      guard let handle = handle(done.entry), let value = configurations[handle] else {
        written = done
        return
      }
      configured = done
      guard outline.action == .write, builder.recording.pdus[done.completion].opcode != .errorResponse else { return }
      configure(value, done, outline)
    }
  }

  private mutating func configure(_ attribute: AttributeHandle, _ done: Completed, _ outline: EntryOutline) {
    var bits: UInt16 = 0
    if outline.long < 0 {
      let value = builder.value(outline)
      if value.byteCount == 2 { bits = UInt16(value.uint8(at: 0)) | UInt16(value.uint8(at: 1)) << 8 }
    }
    // What was set before the capture is not known; it may have been anything.
    if values[attribute, default: 3] & ~bits & 3 != 0 { unsubscribed[attribute] = done.completion }
    values[attribute] = bits
    if bits & 3 != 0 { subscribed[attribute] = done }
  }
}
