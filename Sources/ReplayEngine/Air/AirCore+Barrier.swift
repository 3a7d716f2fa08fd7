/// Where the tape is the barrier: what a recorded app would do before the next event.
extension AirCore {
  /// A link on which the central should do something before `limit`.
  func dueLink(through limit: AirInstant) -> Int? {
    links.filter { !$0.value.central.followsTape && $0.value.connection.dueEntry(through: limit) != nil }.keys.min()
  }

  /// Nothing came of waiting for the central on this link; tells in words what was waited for.
  func passBarrier(_ link: Int, through limit: AirInstant) -> String? {
    guard let connection = links[link]?.connection, let entry = connection.dueEntry(through: limit) else { return nil }
    connection.passBarrier()
    return "link \(link), entry \(entry + 1): \(connection.describe(entry))"
  }

  /// Notes a guess, and where it was made.
  func noteGuess(_ words: String) { log.noteGuess(AirFinding(time: now, words: words)) }
}
