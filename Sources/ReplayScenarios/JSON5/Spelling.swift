/// Finds what a mistyped word was meant to be.
package enum Spelling {
  /// The nearest of `candidates`, where it is near enough to be worth asking; the first of equals.
  package static func suggestion(for word: String, among candidates: some Sequence<String>) -> String? {
    let letters = Array(word.lowercased().unicodeScalars.prefix(65))
    // A long word is no slip of a key, and comparing it would cost more than it is worth.
    guard !letters.isEmpty, letters.count <= 64 else { return nil }
    // A beginning is more likely meant than a slip.
    if letters.count > 3 {
      for candidate in candidates where candidate.lowercased().unicodeScalars.starts(with: letters) { return candidate }
    }
    var best: (word: String, distance: Int)?
    for candidate in candidates {
      let other = Array(candidate.lowercased().unicodeScalars.prefix(65))
      let distance = distance(letters, other)
      let limit = max(1, min(letters.count, other.count) / 3)
      if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    // Another ending of the same word, as notify for notification.
    return best?.word
      ?? candidates.first { candidate in
        let common = zip(candidate.lowercased().unicodeScalars, letters).prefix { $0 == $1 }.count
        return common >= 4 && 3 * common >= 2 * letters.count
      }
  }

  /// How many letters to insert, delete, replace or swap with a neighbour (optimal string alignment).
  package static func distance(_ left: String, _ right: String) -> Int {
    distance(Array(left.unicodeScalars), Array(right.unicodeScalars))
  }

  private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in left.indices {
      var current = [row + 1]
      current.reserveCapacity(right.count + 1)
      for column in right.indices {
        let same = left[row] == right[column]
        var cost = min(last[column + 1] + 1, current[column] + 1, last[column] + (same ? 0 : 1))
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          cost = min(cost, beforeLast[column - 1] + 1)
        }
        current.append(cost)
      }
      (beforeLast, last) = (last, current)
    }
    return last[right.count]
  }
}
