import ReplayScenarios

/// Why a report could not be read or written.
public struct ReportError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What sort of trouble it is.
  public enum Code: String, Sendable, Hashable {
    /// The operating system refused the file.
    case cannotRead, cannotWrite
    /// The text is something else than what was to be read.
    case otherFormat
    /// The text is damaged, or says what cannot be.
    case malformed
  }

  /// What sort of trouble it is.
  public var code: Code
  /// The file as the caller named it.
  public var file: String
  /// The place in the file, `LINE:COLUMN`, from 1; `nil` where no place is to blame.
  public var place: String?
  /// What is wrong and what to do.
  public var message: String

  init(_ code: Code, file: String, at position: TextPosition? = nil, _ message: String) {
    (self.code, self.file, self.message) = (code, file, message)
    place = position.map { "\($0.line):\($0.column)" }
  }

  init(_ code: Code, file: String, _ error: JSON5Error) {
    self.init(code, file: file, at: error.position, "\(error.message); \(error.remedy)")
  }

  /// `FILE:LINE:COLUMN: what is wrong; what to do`.
  public var description: String { "\(JSON5Writer.printable(file))\(place.map { ":\($0)" } ?? ""): \(message)" }
}
