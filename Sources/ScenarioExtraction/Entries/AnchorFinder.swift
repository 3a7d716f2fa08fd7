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
    var attribute: AttributeHandle?
    /// The entry before on the same attribute.
    var previous: Int?
    /// The latest write or command that was complete, and the PDU that completed it.
    var completed: (entry: Int, completion: Int)?
    /// The CCCD write of the attribute that is under way.
    var pending: Int?
    /// Whether the subscription was set anew since the entry before.
    var isResubscribed = false

    /// Whether something was completed since the entry before.
    func isCrossed(_ outlines: [EntryOutline]) -> Bool {
      guard let previous, let completed else { return false }
      return completed.completion > outlines[previous].first
    }
  }

  private let configurations: [AttributeHandle: AttributeHandle]
  private let builder: EntryBuilder
  private var recording: LinkRecording { builder.recording }
  private var outlines: [EntryOutline] { builder.outlines }

  /// `configurations` tells the value of the characteristic that each CCCD belongs to.
  init(_ builder: EntryBuilder, configurations: [AttributeHandle: AttributeHandle]) {
    self.builder = builder
    self.configurations = configurations
  }

  /// Anchors of the peripheral's entries, and the entries that they name.
  func anchors() -> EntryAnchors {
    let candidates = candidates()
    let rhythms = rhythms(candidates)
    var anchors = EntryAnchors(count: outlines.count)
    for candidate in candidates { anchors.set(anchor(of: candidate, rhythms), of: candidate.entry) }
    return anchors
  }

  /// Walks the entries in the order of their first PDUs.
  private func candidates() -> [Candidates] {
    var found: [Candidates] = []
    var open: [(completion: Int, entry: Int)] = []
    var completed: (entry: Int, completion: Int)?
    var pending: (entry: Int, value: AttributeHandle, end: Int)?
    var lastOfAttribute: [AttributeHandle: Int] = [:]
    var lastSubscription: [AttributeHandle: Int] = [:]
    for (index, outline) in outlines.enumerated() {
      let now = Int(outline.first)
      if !open.isEmpty {
        open.removeAll { candidate in
          guard candidate.completion < now else { return false }
          if completed.map({ $0.completion < candidate.completion }) ?? true { completed = (candidate.entry, candidate.completion) }
          return true
        }
      }
      guard !outline.isFromCentral else {
        switch outline.action {
        case .write:
          if let completion = outline.completed { open.append((completion, index)) }
          if let handle = recording.pdus[now].attribute, let value = configurations[handle] {
            pending = (index, value, outline.completed ?? .max)
            lastSubscription[value] = now
          }
        case .writeCommand: open.append((now, index))
        default: break
        }
        continue
      }
      var candidate = Candidates(entry: index, attribute: builder.attribute(outline), completed: completed)
      if let attribute = candidate.attribute {
        candidate.previous = lastOfAttribute.updateValue(index, forKey: attribute)
        if let pending, pending.value == attribute, now < pending.end, candidate.previous.map({ $0 < pending.entry }) ?? true {
          candidate.pending = pending.entry
        }
        if let previous = candidate.previous, let subscription = lastSubscription[attribute] {
          candidate.isResubscribed = subscription > outlines[previous].first
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
      guard let attribute = candidate.attribute, let previous = candidate.previous else { continue }
      if candidate.isCrossed(outlines) {
        crossed[attribute, default: 0] += 1
      } else {
        free[attribute, default: []].append(gap(previous, candidate.entry))
      }
    }
    return free.filter { attribute, gaps in gaps.count >= 3 && gaps.count > crossed[attribute, default: 0] }
      .mapValues { $0.sorted()[$0.count / 2] }
  }

  private func gap(_ earlier: Int, _ later: Int) -> Int64 { delay(from: Int(outlines[earlier].first), to: Int(outlines[later].first)) }

  /// Whether an entry goes on in its attribute's rhythm: not sooner than half of it, nor later than twice.
  private func keepsRhythm(_ candidate: Candidates, _ rhythms: [AttributeHandle: Int64]) -> Bool {
    guard let previous = candidate.previous, !candidate.isResubscribed, let attribute = candidate.attribute, let rhythm = rhythms[attribute]
    else { return false }
    let gap = gap(previous, candidate.entry)
    return gap >= rhythm / 2 && gap / 2 <= rhythm
  }

  /// The entry that caused it, where that is another.
  private func cause(of candidate: Candidates, _ rhythms: [AttributeHandle: Int64]) -> Int? {
    if let pending = candidate.pending { return pending }
    if let previous = candidate.previous, !candidate.isCrossed(outlines) || keepsRhythm(candidate, rhythms) { return previous }
    return candidate.completed?.entry
  }

  private func anchor(of candidate: Candidates, _ rhythms: [AttributeHandle: Int64]) -> EntryAnchors.Choice {
    let now = Int(outlines[candidate.entry].first)
    guard let cause = cause(of: candidate, rhythms) else { return EntryAnchors.Choice(.connection, delay: recording.pdus[now].time) }
    let start = Int(outlines[cause].first)
    if cause == candidate.pending { return EntryAnchors.Choice(.request, cause, delay: delay(from: start, to: now)) }
    guard cause == candidate.previous else {
      return EntryAnchors.Choice(.entry, cause, delay: delay(from: candidate.completed?.completion ?? now, to: now))
    }
    if let completion = outlines[cause].completed, completion < now {
      return EntryAnchors.Choice(.previous, delay: delay(from: completion, to: now))
    }
    // The one before is not confirmed yet: what counts is when it was sent.
    return EntryAnchors.Choice(.request, cause, delay: delay(from: start, to: now))
  }

  private func delay(from: Int, to: Int) -> Int64 { recording.pdus[to].time - recording.pdus[from].time }
}
