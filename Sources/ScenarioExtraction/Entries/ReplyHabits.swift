import ReplayScenarios

/// What an attribute is told in answer to: writes to an attribute, reads of one, or confirmations of its indications.
struct Ask: Equatable {
  enum Kind { case write, read, confirmation }
  var kind: Kind
  var handle: AttributeHandle
}

/// How one attribute answers, or that it tells on by itself; learnt from a whole session.
final class ReplyHabits {
  /// What it answers; `nil` where no ask has nearly all of its messages.
  private(set) var ask: Ask?
  /// Whether each ask gets one message, so that the n-th message answers the n-th ask.
  private(set) var isOneEach = false
  /// By which bytes its messages name what they answer.
  var labels: ReplyLabels?
  /// The usual time between two messages; `nil` where most of them answer.
  private(set) var rhythm: Int64?
  /// The time in which nearly all answers come.
  private(set) var latency = Int64.max
  /// Whether writes to an attribute are what more than a few of its messages came after.
  func mayAnswer(_ handle: AttributeHandle) -> Bool { ask == nil || handles.contains(handle) }
  private var handles: [AttributeHandle] = []
  /// Attributes each write to which brings a message far sooner than the rhythm would: the rhythm begins anew with it.
  private(set) var prompting: [AttributeHandle] = []

  private static let leastWrites = 4
  private static let leastOthers = 3

  /// `asked` tells how often an ask was made in all; `latencyInOrder`, in which time messages come if they answer writes one by one.
  init(_ counts: ReplyCounts, asked: (Ask) -> Int, latencyInOrder: ([Int32], AttributeHandle) -> Int64?) {
    if counts.free > counts.crossed, counts.gaps.count >= 3 {
      let usual = counts.gaps.sorted()[counts.gaps.count / 2]
      rhythm = usual
      prompting = counts.asks.filter {
        $0.ask.kind == .write && $0.count >= 2 && $0.count * 10 >= asked($0.ask) * 9 && $0.longest <= usual / 8
      }.map(\.ask.handle)
    }
    let messages = counts.crossed + counts.free
    if let most = counts.most(.write), most.count >= Self.leastWrites, most.count * 5 >= counts.crossed * 4, most.count * 2 >= messages {
      ask = most.ask
      let all = asked(most.ask)
      isOneEach = most.count * 10 >= all * 9 && counts.crossed * 10 <= all * 11
      latency = max(1_000_000, counts.latencies.sorted()[counts.latencies.count * 9 / 10])
      if isOneEach, messages == counts.messages.count, let inOrder = latencyInOrder(counts.messages, most.ask.handle) {
        latency = max(latency, inOrder)
      }
      handles = counts.asks.filter { $0.ask.kind == .write && $0.count * 10 >= counts.crossed }.map(\.ask.handle)
      return
    }
    // A value that comes after each read, or each confirmation, and hardly ever without one.
    for kind in [Ask.Kind.read, .confirmation] {
      guard let most = counts.most(kind), most.count >= Self.leastOthers, most.count * 10 >= (messages - 1) * 9,
        most.count * 10 >= asked(most.ask) * 9
      else { continue }
      ask = most.ask
    }
  }
}

/// What is counted of an attribute's messages, in a bounded place.
struct ReplyCounts {
  private(set) var asks: [(ask: Ask, count: Int, longest: Int64)] = []
  /// Times between messages that nothing was written before, and from writes to messages.
  private(set) var gaps: [Int64] = []
  private(set) var latencies: [Int64] = []
  private(set) var free = 0
  private(set) var crossed = 0
  /// Messages, as far as they are kept, and those that came after a write.
  private(set) var messages: [Int32] = []
  private(set) var samples: [(entry: Int32, previous: Int32)] = []

  private static let limit = 4096
  private static let askLimit = 16

  /// Counts a message that nothing was written before since the last one.
  mutating func addFree(gap: Int64, entry: Int) {
    free += 1
    if messages.count < Self.limit { messages.append(Int32(entry)) }
    if gaps.count < Self.limit { gaps.append(gap) }
  }

  /// Counts the first message after a write.
  mutating func addCrossed(_ ask: Ask, latency: Int64, entry: Int, previous: Int?) {
    crossed += 1
    if messages.count < Self.limit { messages.append(Int32(entry)) }
    if latencies.count < Self.limit { latencies.append(latency) }
    if samples.count < ReplyLabels.sampleLimit { samples.append((Int32(entry), Int32(previous ?? -1))) }
    count(ask, latency: latency)
  }

  /// Counts what a message came after.
  mutating func count(_ ask: Ask, latency: Int64) {
    if let place = asks.firstIndex(where: { $0.ask == ask }) {
      asks[place].count += 1
      asks[place].longest = max(asks[place].longest, latency)
    } else if asks.count < Self.askLimit {
      asks.append((ask, 1, latency))
    }
  }

  /// The ask of a kind that most messages came after.
  func most(_ kind: Ask.Kind) -> (ask: Ask, count: Int)? {
    asks.filter { $0.ask.kind == kind }.max { $0.count < $1.count }.map { ($0.ask, $0.count) }
  }
}
