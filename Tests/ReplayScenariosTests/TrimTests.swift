import ReplayScenarios
import Testing

/// What entries wait for when others are taken out.
struct TrimTests {
  private let told = AttributeHandle(3)
  private let written = AttributeHandle(6)
  private let streamed = AttributeHandle(9)

  private func write(_ at: Int, _ handle: AttributeHandle, id: String? = nil) -> TimelineEntry {
    TimelineEntry(id: id, at: .milliseconds(at), action: .write(handle, [1]), answer: .ok, latency: .milliseconds(5))
  }

  private func notify(_ at: Int, _ cause: Anchor.Cause, _ delay: Int = 5, cancel: Anchor.Cancellation = .unsubscribe) -> TimelineEntry {
    TimelineEntry(
      at: .milliseconds(at), origin: .peripheral, action: .notify(told, [1]),
      anchor: Anchor(cause, delay: .milliseconds(delay), cancel: cancel))
  }

  private func trimmed(_ entries: [TimelineEntry], to handles: Set<AttributeHandle>) -> [TimelineEntry] {
    var trim = ScenarioTrim()
    trim.handles = handles
    return trim.applied(to: Scenario(sessions: [Session(entries: entries)])).sessions.first?.entries ?? []
  }

  /// A cause that goes is replaced by what was complete last before the entry; what calls the entry off stays.
  @Test func theCauseThatWentIsReplaced() {
    let entries = [
      write(0, written, id: "w"), write(50, streamed, id: "s"), notify(100, .entry("s"), 45, cancel: []),
      notify(200, .previous, 100, cancel: [.unsubscribe, .write]), notify(300, .idle, 90), notify(400, .request("s"), 345),
    ]
    let kept = trimmed(entries, to: [told, written])
    #expect(kept.dropFirst().map { $0.anchor?.cause } == [.entry("w"), .previous, .idle, .entry("w")])
    #expect(kept.dropFirst().map { $0.anchor?.delay } == [95, 100, 90, 395].map { .milliseconds($0) })
    #expect(kept.dropFirst().map { $0.anchor?.cancel } == [[], [.unsubscribe, .write], .unsubscribe, .unsubscribe])
    #expect(trimmed(entries, to: [told]).first?.anchor == Anchor(.connection, delay: .milliseconds(100), cancel: []))
  }

  /// Writes that are counted count only where all of them stay.
  @Test func countsStayWithTheirWrites() {
    let every = Anchor.Cause.every(count: 2, write: streamed, since: nil)
    let entries = [write(0, written), write(10, streamed), write(20, streamed), notify(30, every)]
    #expect(trimmed(entries, to: [told, streamed]).last?.anchor?.cause == every)
    #expect(trimmed(entries, to: [told, written]).last?.anchor?.cause == .entry("t1"))
  }

  /// A long session takes time that grows with it.
  @Test func aLongSessionIsTrimmed() {
    var entries = [write(0, written)]
    for place in 1...60_000 {
      entries.append(write(place, streamed))
      entries.append(notify(place, .every(count: 1, write: streamed, since: nil)))
    }
    #expect(trimmed(entries, to: [told, written]).count == 60_001)
  }
}
