import ReplayScenarios

/// Counts writes for the entries that wait for every n-th of them.
struct WriteCounts {
  private struct Moment: Hashable {
    var handle: AttributeHandle
    var number: Int
  }

  private struct State {
    /// The place, among the entries of the count, of the one that is next.
    var next = 0
    /// How often counting began; what was set for an earlier beginning is void.
    var beginning = 0
  }

  /// Writes to each attribute that is counted.
  private var totals: [AttributeHandle: Int] = [:]
  private var states: [State]
  /// What is due at the n-th write of an attribute since the connection, so that a write only meets what it begins.
  private var due: [Moment: [(count: Int, beginning: Int)]] = [:]

  init(_ session: CompiledSession) {
    states = session.counts.map { _ in State() }
    for (place, count) in session.counts.enumerated() {
      totals[count.handle] = 0
      if count.since == nil { begin(place, in: session) }
    }
  }

  /// Begins the counts anew that an entry begins.
  mutating func complete(_ entry: Int, in session: CompiledSession) {
    guard !totals.isEmpty else { return }
    for place in session.countsSince[entry] ?? [] { begin(place, in: session) }
  }

  private mutating func begin(_ place: Int, in session: CompiledSession) {
    states[place].next = 0
    states[place].beginning += 1
    wait(place, in: session)
  }

  private mutating func wait(_ place: Int, in session: CompiledSession) {
    let count = session.counts[place]
    guard states[place].next < count.entries.count else { return }
    let number = (totals[count.handle] ?? 0).addingReportingOverflow(count.count)
    guard !number.overflow else { return }
    due[Moment(handle: count.handle, number: number.partialValue), default: []].append((place, states[place].beginning))
  }

  /// Counts a write; tells the entries whose number it completes.
  mutating func write(_ handle: AttributeHandle, in session: CompiledSession) -> [Int] {
    guard let total = totals[handle] else { return [] }
    totals[handle] = total + 1
    guard let reached = due.removeValue(forKey: Moment(handle: handle, number: total + 1)) else { return [] }
    var begun: [Int] = []
    for (place, beginning) in reached where states[place].beginning == beginning {
      begun.append(session.counts[place].entries[states[place].next])
      states[place].next += 1
      wait(place, in: session)
    }
    return begun
  }
}
