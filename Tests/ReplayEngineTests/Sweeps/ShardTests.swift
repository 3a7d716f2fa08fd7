import ReplayEngine
import Testing

struct ShardTests {
  @Test func readsItsForm() throws {
    let shard = try Shard("2/4")
    #expect(shard.index == 2 && shard.count == 4 && "\(shard)" == "2/4")
    #expect((0..<8).filter(shard.holds) == [1, 5])
    for text in ["", "0/4", "5/4", "2", "2/", "/4", "2/0", "-1/4", "2/4/1", "a/b", "2/99999999999999999999"] {
      #expect(throws: ShardError.self, "\(text)") { try Shard(text) }
    }
    #expect(Shard(0, of: 0) == nil)
  }

  @Test func everyPointIsInOneShard() {
    for count in 1...7 {
      let shards = (1...count).compactMap { Shard($0, of: count) }
      #expect((0..<100).allSatisfy { number in shards.count { $0.holds(number) } == 1 })
    }
  }

  @Test(
    arguments: [
      ([:], "1/1"), (["UNDERSTUDY_SHARD": "3/5", "CI_NODE_INDEX": "1", "CI_NODE_TOTAL": "2"], "3/5"),
      (["CI_NODE_INDEX": "2", "CI_NODE_TOTAL": "4"], "2/4"), (["CI_NODE_TOTAL": "1"], "1/1"),
      (["STRATEGY_JOB_INDEX": "0", "STRATEGY_JOB_TOTAL": "4"], "1/4"), (["TEST_SHARD_INDEX": "3", "TEST_TOTAL_SHARDS": "4"], "4/4"),
      (["JOB_COMPLETION_INDEX": "1", "JOB_COMPLETIONS": "4"], "2/4"), (["CIRCLE_NODE_INDEX": "1", "CIRCLE_NODE_TOTAL": "2"], "2/2"),
      (["BUILDKITE_PARALLEL_JOB": "0", "BUILDKITE_PARALLEL_JOB_COUNT": "2"], "1/2"),
      // Kubernetes tells the index alone: then nothing is left out.
      (["JOB_COMPLETION_INDEX": "1"], "1/1"), (["UNDERSTUDY_SHARD": ""], "1/1"),
    ] as [([String: String], String)])
  func readsTheEnvironment(environment: [String: String], shard: String) throws {
    #expect("\(try Shard(environment: environment))" == shard)
  }

  @Test(arguments: [
    ["UNDERSTUDY_SHARD": "4"], ["CI_NODE_INDEX": "0", "CI_NODE_TOTAL": "4"], ["CI_NODE_TOTAL": "4"],
    ["CI_NODE_INDEX": "5", "CI_NODE_TOTAL": "4"],
    ["TEST_SHARD_INDEX": "4", "TEST_TOTAL_SHARDS": "4"], ["TEST_SHARD_INDEX": "x", "TEST_TOTAL_SHARDS": "4"],
    ["TEST_SHARD_INDEX": "9223372036854775807", "TEST_TOTAL_SHARDS": "4"],
    ["TEST_SHARD_INDEX": "-9223372036854775808", "TEST_TOTAL_SHARDS": "0"],
  ])
  func refusesWhatIsNoShard(environment: [String: String]) {
    let error = #expect(throws: ShardError.self) { try Shard(environment: environment) }
    #expect(error?.description.contains("as 2/4") ?? false)
  }
}
