import Foundation
import TestSupport

/// Runs the tool that was built beside the tests.
enum Tool {
  typealias Result = BuiltProgram.Result
  private static let program = BuiltProgram("understudy")

  static func location() throws -> URL { try program.location() }

  static func run(_ arguments: [String], input: [UInt8]? = nil, environment: [String: String] = [:]) throws -> Result {
    try program.run(arguments, input: input, environment: environment)
  }
}
