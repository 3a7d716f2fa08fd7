public import Foundation

/// Where a scenario is: a file, a resource of a bundle, or a value.
public struct ScenarioSource: Sendable {
  private enum Place: Sendable {
    case file(String)
    case named(String, Bundle)
    case value(Scenario)
  }
  private let place: Place

  /// The file at `path`.
  public static func file(_ path: String) -> ScenarioSource { ScenarioSource(place: .file(path)) }

  /// `NAME.json5` among the resources of `bundle`, at its top or in a folder `scenarios`.
  public static func named(_ name: String, in bundle: Bundle) -> ScenarioSource { ScenarioSource(place: .named(name, bundle)) }

  /// A scenario that was made already.
  public static func scenario(_ scenario: Scenario) -> ScenarioSource { ScenarioSource(place: .value(scenario)) }

  /// Reads it.
  public func load() throws -> Scenario {
    switch place {
    case .value(let scenario): return scenario
    case .file(let path): return try Scenario.read(file: path)
    case .named(let name, let bundle):
      for folder in [nil, "scenarios"] {
        if let url = bundle.url(forResource: name, withExtension: "json5", subdirectory: folder) {
          return try Scenario.read(file: url.path)
        }
      }
      throw ScenarioNotFound(name: name, folder: bundle.bundlePath)
    }
  }
}

/// A bundle has no scenario of a name.
public struct ScenarioNotFound: Error, Sendable, CustomStringConvertible {
  var name: String
  var folder: String
  /// What was looked for, and where.
  public var description: String {
    "\(name).json5 is neither in \(folder) nor in its folder scenarios; add it to the resources of the test target"
  }
}
