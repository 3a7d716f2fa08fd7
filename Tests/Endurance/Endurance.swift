import ReplayScenarios

/// Long runs that need a process of their own, since they look at its memory; the tests start it and read what it prints.
@main
struct Endurance {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case "pdus": pdus(arguments)
    case "cycles": cycles(arguments)
    default: print("usage: endurance pdus COUNT SEED MATCH POLICY | cycles COUNT")
    }
  }

  private static func pdus(_ arguments: [String]) {
    guard arguments.count == 5, let count = Int(arguments[1]), let seed = UInt64(arguments[2]),
      let match = MatchLevel(rawValue: arguments[3]), let policy = UnmatchedPolicy(rawValue: arguments[4])
    else { return print("usage: endurance pdus COUNT SEED MATCH POLICY") }
    var run = RandomPDUs(seed: seed, match: match, policy: policy)
    run.drive(count / 10)
    let early = Memory.peak
    run.drive(count - count / 10)
    // The growth in bytes from a tenth of the way to its end.
    print("pdus \(run.sent) requests \(run.requests) responses \(run.responses) growth \(Memory.peak - early)")
    for line in run.violations { print("violation \(line)") }
  }

  private static func cycles(_ arguments: [String]) {
    guard arguments.count == 2, let count = Int(arguments[1]) else { return print("usage: endurance cycles COUNT") }
    let run = FaceCycles()
    run.drive(count / 10)
    let early = Memory.allocated
    run.drive(count - count / 10)
    print("cycles \(run.cycles) values \(run.values) growth \(Memory.allocated - early)")
    run.check()
    for line in run.violations { print("violation \(line)") }
  }
}
