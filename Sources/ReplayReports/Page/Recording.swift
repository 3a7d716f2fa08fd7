/// A capture, or another recording, that is shown without a run.
package struct Recording: Sendable {
  package var name: String
  /// What is known of it, by name.
  package var facts: [(String, String)]
  /// What is odd about it, one sentence each.
  package var notes: [String]
  package var timelines: [Timeline]

  /// Joins all.
  package init(name: String, facts: [(String, String)] = [], notes: [String] = [], timelines: [Timeline] = []) {
    (self.name, self.facts, self.notes, self.timelines) = (name, facts, notes, timelines)
  }
}
