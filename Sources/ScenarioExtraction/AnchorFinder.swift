import ReplayScenarios
import SessionReconstruction

/// Ties what a peripheral began to its cause.
///
/// The cause of a notification is the latest write whose response had been seen, or command that had arrived; between a CCCD
/// write and its response it is that request; after an earlier one of the same attribute it is that one. Without any of them it
/// is the connection.
struct AnchorFinder {
  private let configurations: [AttributeHandle: AttributeHandle]
  private let recording: LinkRecording
  private var built: [EntryBuilder.Built]

  /// `configurations` tells the value of the characteristic that each CCCD belongs to.
  init(_ built: [EntryBuilder.Built], recording: LinkRecording, configurations: [AttributeHandle: AttributeHandle]) {
    self.built = built
    self.recording = recording
    self.configurations = configurations
  }

  /// The entries, with anchors on those of the peripheral and names on those that anchors refer to.
  func anchored() -> [EntryBuilder.Built] {
    var result = built
    var names: [Int: String] = [:]
    // Completed causes in the order of their completion; entries are visited in the order of their first PDU.
    var open: [(completion: Int, entry: Int)] = []
    var completed: (entry: Int, completion: Int)?
    var pendingConfiguration: (entry: Int, value: AttributeHandle, end: Int)?
    var lastOfAttribute: [AttributeHandle: Int] = [:]

    func name(_ entry: Int) -> String {
      if let name = names[entry] { return name }
      let name = "e\(entry + 1)"
      names[entry] = name
      return name
    }

    for index in result.indices {
      let now = result[index].first
      open.removeAll { candidate in
        guard candidate.completion < now else { return false }
        if completed.map({ $0.completion < candidate.completion }) ?? true { completed = (candidate.entry, candidate.completion) }
        return true
      }
      let entry = result[index].entry
      if entry.origin == .central {
        switch entry.action {
        case .write(let handle, _):
          if let completion = result[index].completion { open.append((completion, index)) }
          if let value = configurations[handle] { pendingConfiguration = (index, value, result[index].completion ?? .max) }
        case .writeCommand: open.append((now, index))
        default: break
        }
        continue
      }
      let attribute = entry.attribute
      let previous = attribute.flatMap { lastOfAttribute[$0] }
      if let attribute { lastOfAttribute[attribute] = index }
      let anchor: Anchor
      if let pending = pendingConfiguration, pending.value == attribute, now < pending.end, previous.map({ $0 < pending.entry }) ?? true {
        anchor = Anchor(.request(name(pending.entry)), delay: delay(from: result[pending.entry].first, to: now))
      } else if let previous, completed.map({ $0.completion < result[previous].first }) ?? true {
        if let completion = result[previous].completion, completion < now {
          anchor = Anchor(.previous, delay: delay(from: completion, to: now))
        } else {
          // The one before is not confirmed yet: what counts is when it was sent.
          anchor = Anchor(.request(name(previous)), delay: delay(from: result[previous].first, to: now))
        }
      } else if let completed {
        anchor = Anchor(.entry(name(completed.entry)), delay: delay(from: completed.completion, to: now))
      } else {
        anchor = Anchor(.connection, delay: .nanoseconds(recording.pdus[now].time))
      }
      result[index].entry.anchor = anchor
    }
    for (entry, name) in names { result[entry].entry.id = name }
    return result
  }

  private func delay(from: Int, to: Int) -> Duration { .nanoseconds(recording.pdus[to].time - recording.pdus[from].time) }
}
