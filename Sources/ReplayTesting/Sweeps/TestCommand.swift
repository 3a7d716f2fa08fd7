import Foundation

/// How to run one test again in another process.
struct TestCommand: Sendable {
  var executable: String
  var arguments: [String]

  #if os(macOS)
    /// A test method of a class in a bundle.
    static func xctest(_ type: AnyClass, method: String) -> TestCommand {
      TestCommand(
        executable: CommandLine.arguments[0],
        arguments: ["-XCTest", "\(String(reflecting: type))/\(method)", Bundle(for: type).bundlePath])
    }
  #else
    /// A test method of a class.
    static func xctest(_ type: AnyClass, method: String) -> TestCommand {
      TestCommand(executable: CommandLine.arguments[0], arguments: ["\(String(reflecting: type))/\(method)"])
    }
  #endif

  /// A test function, by its identifier.
  static func swiftTesting(_ identifier: String) -> TestCommand {
    let filter = "^" + NSRegularExpression.escapedPattern(for: identifier) + "$"
    // A run that was told where to find its tests, as that of a bundle, is told the same again.
    let places = zip(CommandLine.arguments, CommandLine.arguments.dropFirst()).filter { $0.0 == "--test-bundle-path" }.flatMap {
      [$0.0, $0.1]
    }
    return TestCommand(
      executable: CommandLine.arguments[0], arguments: places + ["--testing-library", "swift-testing", "--filter", filter])
  }
}
