/// A place in a text, counted from 1; a column is a character (Unicode scalar) of its line.
package struct TextPosition: Sendable, Hashable {
  package var line: Int
  package var column: Int
  /// Joins both.
  package init(line: Int, column: Int) { (self.line, self.column) = (line, column) }
}

/// Why a JSON5 text was refused, where, and what to do about it.
package struct JSON5Error: Error, Sendable, Equatable, CustomStringConvertible {
  package var position: TextPosition
  /// What is wrong.
  package var message: String
  /// What to do.
  package var remedy: String

  /// Cold, so that the checks that lead here stay small.
  @inline(never)
  package init(_ position: TextPosition, _ message: String, _ remedy: String) {
    (self.position, self.message, self.remedy) = (position, message, remedy)
  }

  /// `LINE:COLUMN: what is wrong; what to do`.
  package var description: String { "\(position.line):\(position.column): \(message); \(remedy)" }
}
