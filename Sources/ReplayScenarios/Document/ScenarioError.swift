/// Why a scenario could not be read or written.
public struct ScenarioError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What sort of trouble it is.
  public enum Code: String, Sendable, Hashable {
    /// The operating system refused the file.
    case cannotRead, cannotWrite
    /// The file is another version's, or no scenario at all.
    case otherFormat
    /// The text is no JSON5, or says something that a scenario cannot say.
    case malformed
  }

  /// What sort of trouble it is.
  public var code: Code
  /// The file as the caller named it.
  public var file: String
  /// The line, from 1; `nil` where no place is to blame.
  public var line: Int?
  /// The character of the line, from 1.
  public var column: Int?
  /// What is wrong and what to do.
  public var message: String

  /// Joins the parts.
  public init(_ code: Code, file: String, line: Int? = nil, column: Int? = nil, _ message: String) {
    (self.code, self.file, self.line, self.column, self.message) = (code, file, line, column, message)
  }

  init(_ code: Code = .malformed, file: String, _ error: JSON5Error) {
    self.init(code, file: file, line: error.position.line, column: error.position.column, "\(error.message); \(error.remedy)")
  }

  /// `FILE:LINE:COLUMN: what is wrong; what to do`.
  public var description: String {
    "\(JSON5Writer.printable(file))\(line.map { ":\($0)" } ?? "")\(column.map { ":\($0)" } ?? ""): \(message)"
  }

  /// Errors are compared by their code.
  public static func == (left: ScenarioError, right: ScenarioError) -> Bool { left.code == right.code }
}
