import ReplayScenarios

/// Bytes by which a device says which request a message answers: a counter or a command that it copies.
struct ReplyLabels {
  /// A byte of the request, and the byte of the message that is the same.
  private struct Pair {
    var request: Int
    var message: Int
  }

  /// A message with requests that it may answer, and the one among them that was completed last before it.
  struct Sample {
    var message: MessageBytes
    var requests: [MessageBytes]
    var completed: Int
  }

  /// How many messages are looked at to learn the pairs.
  static let sampleLimit = 256
  /// How many requests before a message it may answer.
  static let reach = 8
  /// How many there have to be, and how many in a hundred have to agree.
  private static let least = 4
  private static let share = 94

  private let pairs: [Pair]

  /// Whether a message has all the labels of a request.
  func match(_ request: MessageBytes, _ message: MessageBytes) -> Bool {
    pairs.allSatisfy { pair in request[pair.request].map { $0 == message[pair.message] } ?? false }
  }

  /// Learns the pairs; `nil` where none shows.
  ///
  /// Which request a sample's message answers is not known, so that each guess is made for all of them, the last time that it is any of
  /// the nearest. A pair counts where the message's byte changes with the request's.
  init?(_ samples: [Sample]) {
    guard samples.count >= Self.least else { return nil }
    let guesses: [(Sample) -> [MessageBytes]] = [
      { [$0.requests[$0.completed]] }, { [$0.requests[0]] }, { $0.requests.count > 1 ? [$0.requests[1]] : [] }, { $0.requests },
    ]
    for (place, guess) in guesses.enumerated() {
      let known = samples.map { ($0.message, guess($0)) }.filter { !$0.1.isEmpty }
      // Among several requests a byte of few values would be found by chance.
      let found = Self.pairs(known, leastValues: place < guesses.count - 1 ? 3 : 12)
      if !found.isEmpty {
        pairs = found
        return
      }
    }
    return nil
  }

  private static func pairs(_ samples: [(message: MessageBytes, requests: [MessageBytes])], leastValues: Int) -> [Pair] {
    guard samples.count >= least else { return [] }
    var found: [Pair] = []
    var isTelling = false
    for request in 0..<MessageFrames.width {
      let bytes = samples.map { $0.requests[0][request] }
      let values = Set(bytes.compactMap { $0 })
      let changes = zip(bytes, bytes.dropFirst()).count { $0 != $1 }
      guard let only = values.first else { continue }
      for message in 0..<MessageFrames.width {
        // A byte that never changes tells where a message begins like a request; zeros stand everywhere.
        guard values.count > 1 || only != 0 && request == message else { continue }
        let hits = samples.count { sample in
          sample.requests.contains { asked in asked[request].map { $0 == sample.message[message] } ?? false }
        }
        guard hits * 100 >= samples.count * share else { continue }
        found.append(Pair(request: request, message: message))
        if values.count >= leastValues, changes * 3 >= samples.count { isTelling = true }
      }
    }
    return isTelling ? found : []
  }
}
