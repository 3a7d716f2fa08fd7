import ReplayScenarios
import SessionReconstruction

/// Ties what a peripheral began to its cause.
///
/// The cause of a notification is the latest write whose response had been seen, or command that had arrived; between a CCCD
/// write and its response it is that request; after an earlier one of the same attribute it is that one. A stream that goes on in
/// its own rhythm chains to itself, whatever was written meanwhile. Without any of them it is the connection.
struct AnchorFinder {
  /// What may have caused one entry of the peripheral's.
  private struct Candidates {
    var entry: Int
    /// The entry before on the same attribute.
    var previous: Int?
    /// The latest write or command that was complete, and the PDU that completed it.
    var completed: (entry: Int, completion: Int)?
    /// The CCCD write of the attribute that is under way.
    var pending: Int?
    /// Whether the subscription was set anew since the entry before.
    var isResubscribed = false

    /// Whether something was completed since the entry before.
    func isCrossed(_ built: [EntryBuilder.Built]) -> Bool {
      guard let previous, let completed else { return false }
      return completed.completion > built[previous].first
    }
  }

  private let configurations: [AttributeHandle: AttributeHandle]
  private let recording: LinkRecording
  private let built: [EntryBuilder.Built]

  /// `configurations` tells the value of the characteristic that each CCCD belongs to.
  init(_ built: [EntryBuilder.Built], recording: LinkRecording, configurations: [AttributeHandle: AttributeHandle]) {
    self.built = built
    self.recording = recording
    self.configurations = configurations
  }

  /// The entries, with anchors on those of the peripheral and names on those that anchors refer to.
  func anchored() -> [EntryBuilder.Built] {
    let candidates = candidates()
    let rhythms = rhythms(candidates)
    var result = built
    for candidate in candidates {
      let anchor = anchor(of: candidate, rhythms)
      result[candidate.entry].entry.anchor = anchor
      switch anchor.cause {
      case .entry, .request:
        if let cause = cause(of: candidate, rhythms) { result[cause].entry.id = Self.name(cause) }
      case .connection, .previous: break
      }
    }
    return result
  }

  private static func name(_ entry: Int) -> String { "e\(entry + 1)" }

  /// Walks the entries in the order of their first PDUs.
  private func candidates() -> [Candidates] {
    var found: [Candidates] = []
    var open: [(completion: Int, entry: Int)] = []
    var completed: (entry: Int, completion: Int)?
    var pending: (entry: Int, value: AttributeHandle, end: Int)?
    var lastOfAttribute: [AttributeHandle: Int] = [:]
    var lastSubscription: [AttributeHandle: Int] = [:]
    for (index, item) in built.enumerated() {
      let now = item.first
      open.removeAll { candidate in
        guard candidate.completion < now else { return false }
        if completed.map({ $0.completion < candidate.completion }) ?? true { completed = (candidate.entry, candidate.completion) }
        return true
      }
      guard item.entry.origin == .peripheral else {
        switch item.entry.action {
        case .write(let handle, _):
          if let completion = item.completion { open.append((completion, index)) }
          if let value = configurations[handle] {
            pending = (index, value, item.completion ?? .max)
            lastSubscription[value] = now
          }
        case .writeCommand: open.append((now, index))
        default: break
        }
        continue
      }
      var candidate = Candidates(entry: index, completed: completed)
      if let attribute = item.entry.attribute {
        candidate.previous = lastOfAttribute[attribute]
        lastOfAttribute[attribute] = index
        if let pending, pending.value == attribute, now < pending.end, candidate.previous.map({ $0 < pending.entry }) ?? true {
          candidate.pending = pending.entry
        }
        if let previous = candidate.previous, let subscription = lastSubscription[attribute] {
          candidate.isResubscribed = subscription > built[previous].first
        }
      }
      found.append(candidate)
    }
    return found
  }

  /// The usual time between two values of an attribute that tells on by itself; attributes that mostly answer have none.
  private func rhythms(_ candidates: [Candidates]) -> [AttributeHandle: Int64] {
    var free: [AttributeHandle: [Int64]] = [:]
    var crossed: [AttributeHandle: Int] = [:]
    for candidate in candidates {
      guard let attribute = built[candidate.entry].entry.attribute, let previous = candidate.previous else { continue }
      if candidate.isCrossed(built) {
        crossed[attribute, default: 0] += 1
      } else {
        free[attribute, default: []].append(gap(previous, candidate.entry))
      }
    }
    return free.compactMapValues { $0.count >= 3 ? $0.sorted()[$0.count / 2] : nil }
      .filter { attribute, _ in (free[attribute]?.count ?? 0) > crossed[attribute, default: 0] }
  }

  private func gap(_ earlier: Int, _ later: Int) -> Int64 {
    recording.pdus[built[later].first].time - recording.pdus[built[earlier].first].time
  }

  /// Whether an entry goes on in its attribute's rhythm: not sooner than half of it, nor later than twice.
  private func keepsRhythm(_ candidate: Candidates, _ rhythms: [AttributeHandle: Int64]) -> Bool {
    guard let previous = candidate.previous, !candidate.isResubscribed, let attribute = built[candidate.entry].entry.attribute,
      let rhythm = rhythms[attribute]
    else { return false }
    let gap = gap(previous, candidate.entry)
    return gap >= rhythm / 2 && gap / 2 <= rhythm
  }

  /// The entry that caused it, where that is another.
  private func cause(of candidate: Candidates, _ rhythms: [AttributeHandle: Int64]) -> Int? {
    if let pending = candidate.pending { return pending }
    if let previous = candidate.previous, !candidate.isCrossed(built) || keepsRhythm(candidate, rhythms) { return previous }
    return candidate.completed?.entry
  }

  private func anchor(of candidate: Candidates, _ rhythms: [AttributeHandle: Int64]) -> Anchor {
    let now = built[candidate.entry].first
    guard let cause = cause(of: candidate, rhythms) else { return Anchor(.connection, delay: .nanoseconds(recording.pdus[now].time)) }
    if cause == candidate.pending { return Anchor(.request(Self.name(cause)), delay: delay(from: built[cause].first, to: now)) }
    guard cause == candidate.previous else {
      return Anchor(.entry(Self.name(cause)), delay: delay(from: candidate.completed?.completion ?? now, to: now))
    }
    if let completion = built[cause].completion, completion < now {
      return Anchor(.previous, delay: delay(from: completion, to: now))
    }
    // The one before is not confirmed yet: what counts is when it was sent.
    return Anchor(.request(Self.name(cause)), delay: delay(from: built[cause].first, to: now))
  }

  private func delay(from: Int, to: Int) -> Duration { .nanoseconds(recording.pdus[to].time - recording.pdus[from].time) }
}
