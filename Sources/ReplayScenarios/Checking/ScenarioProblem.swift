/// Something in a scenario that contradicts itself or that no replay can play.
public struct ScenarioProblem: Sendable, Equatable, CustomStringConvertible {
  /// How bad it is.
  public enum Severity: String, Sendable, Hashable {
    /// A replay would not do what the scenario says.
    case error
    /// It can be played, but is likely a slip.
    case warning
  }

  /// What sort of problem it is.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// Two attributes have one handle, or two services one range.
    case duplicateHandle, overlappingServices
    /// A handle that is 0, a range that ends before it begins, a characteristic's value outside its service.
    case invalidHandle, reversedRange, valueOutsideService
    /// A characteristic or descriptor in no service, an entry or subscription on a handle without an attribute.
    case outsideServices, unknownHandle
    /// A database that does not exist.
    case unknownDatabase
    /// The traffic did what the properties do not allow.
    case contradictedProperties
    /// Entries out of order, or a time that cannot be negative.
    case timeOrder, negativeTime, truncated
    /// Names that are no names, or stand twice.
    case invalidID, duplicateID
    /// Entries by the peripheral that wait for nothing, or for what never happens; entries by the central that wait.
    case missingAnchor, unknownAnchor, uselessAnchor, anchorLoop, nothingBefore, impossibleCount
    /// A mask, a prefix or a counter that does not fit the value.
    case impossibleMatcher
    /// Requests that differ at random, and answers with them: no recording answers another such request.
    case notReplayable = "not-replayable"
    /// An answer or parts that the action cannot have.
    case impossibleAnswer, impossibleParts
    /// Data on a channel, or a bearer, that is not open.
    case unknownChannel
    /// A text that is no identifier, a time that is not UTC in ISO 8601, an MTU below 23.
    case invalidText, invalidMTU
  }

  /// What sort of problem it is.
  public var code: Code
  /// How bad it is.
  public var severity: Severity
  /// Where in the scenario.
  public var place: ScenarioPlace
  /// The line in its file, from 1; `nil` for a scenario that was not read from one.
  public var line: Int?
  /// What is wrong and what to do.
  public var message: String

  /// Joins the parts.
  public init(_ code: Code, _ severity: Severity, at place: ScenarioPlace, line: Int? = nil, _ message: String) {
    (self.code, self.severity, self.place, self.line, self.message) = (code, severity, place, line, message)
  }

  /// `error: what is wrong; what to do`, after the line where it is known.
  public var description: String { "\(line.map { "\($0): " } ?? "")\(severity.rawValue): \(message)" }
}
