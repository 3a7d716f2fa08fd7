import Foundation
import ReplayScenarios
import TestSupport
import Testing

/// A virtual peripheral that gets anything at all, in a process of its own.
@Suite struct EnduranceTests {
  private static let program = BuiltProgram("endurance")

  /// `count` PDUs; tells the numbers that the program prints by name, and what was not as it has to be.
  private func drive(_ count: Int, seed: UInt64, _ match: MatchLevel, _ policy: UnmatchedPolicy) throws -> [String: Int] {
    try drive(["pdus", "\(count)", "\(seed)", match.rawValue, policy.rawValue])
  }

  private func drive(_ arguments: [String]) throws -> [String: Int] {
    let result = try Self.program.run(arguments)
    let lines = result.output.split(separator: "\n")
    #expect(result.code == 0)
    #expect(lines.filter { $0.hasPrefix("violation") } == [])
    let words = try #require(lines.first).split(separator: " ")
    return Dictionary(
      uniqueKeysWithValues: stride(from: 0, to: words.count - 1, by: 2).map { (String(words[$0]), Int(words[$0 + 1]) ?? -1) })
  }

  @Test func aMillionPDUsGetWhatTheSpecificationAsksForAndLeaveNothingBehind() throws {
    let numbers = try drive(1_000_000, seed: 1, .perAttribute, .again)
    #expect(numbers["pdus"] == 1_000_000)
    #expect(try #require(numbers["requests"]) > 700_000)
    #expect(numbers["responses"] == numbers["requests"])
    #expect(try #require(numbers["growth"]) <= 1 << 20)
  }

  @Test(arguments: MatchLevel.allCases, [UnmatchedPolicy.again, .last, .error, .fail])
  func everyLevelAndPolicyAnswersEachRequestOnce(_ match: MatchLevel, _ policy: UnmatchedPolicy) throws {
    let numbers = try drive(10_000, seed: 7, match, policy)
    #expect(numbers["responses"] == numbers["requests"])
  }

  @Test func tenThousandConnectionsThroughTheFaceLeaveNothingBehind() throws {
    let numbers = try drive(["cycles", "10000"])
    #expect(numbers["cycles"] == 10_000 && numbers["values"] == 10_000)
    #expect(try #require(numbers["growth"]) <= 1 << 20)
  }
}
