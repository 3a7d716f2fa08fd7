/// The name that is most like a mistyped one; `nil` where none is near.
func nearest(to given: String, among names: [String]) -> String? {
  let word = Array(given.unicodeScalars.prefix(64))
  if word.count > 3, let longer = names.first(where: { $0.unicodeScalars.starts(with: word) }) { return longer }
  let ranked = names.map { (name: $0, distance: distance(word, Array($0.unicodeScalars))) }
  guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
  return best.distance <= max(1, min(3, best.name.drop { $0 == "-" }.count / 3)) ? best.name : nil
}

/// How many letters are added, left out, replaced or swapped with a neighbour between two words.
func distance<Word: RandomAccessCollection>(_ left: Word, _ right: Word) -> Int where Word.Index == Int, Word.Element: Equatable {
  var before: [Int] = []
  var last = Array(0...right.count)
  for (row, letter) in left.enumerated() {
    var current = [row + 1]
    for (column, other) in right.enumerated() {
      var best = min(last[column] + (letter == other ? 0 : 1), last[column + 1] + 1, current[column] + 1)
      if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other { best = min(best, before[column - 1] + 1) }
      current.append(best)
    }
    (before, last) = (last, current)
  }
  return last[right.count]
}
