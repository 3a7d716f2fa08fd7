import ReplayScenarios

/// Long runs that need a process of their own, since they look at its memory; the tests start it and read what it prints.
@main
struct Endurance {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.first == "pdus", arguments.count == 5, let count = Int(arguments[2]), let seed = UInt64(arguments[3]),
      let match = MatchLevel(rawValue: arguments[4]), let policy = UnmatchedPolicy(rawValue: arguments[5])
    else {
      print("usage: endurance pdus COUNT SEED MATCH POLICY")
      return
    }
    var run = RandomPDUs(seed: seed, match: match, policy: policy)
    run.drive(count / 10)
    let early = Memory.peak
    run.drive(count - count / 10)
    // The growth in bytes from a tenth of the way to its end.
    print("pdus \(run.sent) requests \(run.requests) responses \(run.responses) growth \(Memory.peak - early)")
    for line in run.violations { print("violation \(line)") }
  }
}
