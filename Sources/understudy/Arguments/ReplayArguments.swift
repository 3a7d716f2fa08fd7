import ReplayEngine

/// What the options of commands that replay say about the run.
struct ReplayArguments {
  var faults: [Fault] = []
  var seed: UInt64 = 0
  var strictness: Verdict.Strictness = []

  /// The options.
  static let fault = Option("--fault", value: "SPEC", repeats: true, help: "Inject a fault, as check's --fault.")
  static let seedOption = Option("--seed", value: "N", help: "The seed of the run's randomness; 0 unless given.")
  static let failOn = Option("--fail-on", value: "LIST", help: "Let these fail, too: unused, substituted, unmatched, not-reached.")

  private static let names: [(name: String, strictness: Verdict.Strictness)] = [
    ("unused", .unused), ("substituted", .substituted), ("unmatched", .unmatched), ("not-reached", .notReached),
  ]

  init(_ arguments: Arguments) throws(UsageError) {
    for text in arguments.all("--fault") {
      let fault: Fault
      do { fault = try Fault(text) } catch { throw UsageError(description: "--fault \(text): \(error)") }
      if let reason = fault.obstacle(on: .recordedCentral) {
        throw UsageError(description: "--fault \(text): impossible on \(Fault.Face.recordedCentral): \(reason)")
      }
      faults.append(fault)
    }
    seed = try Self.seed(arguments)
    for text in arguments.all("--fail-on").flatMap({ $0.split(separator: ",").map(String.init) }) {
      guard let known = Self.names.first(where: { $0.name == text }) else {
        throw UsageError(description: "--fail-on \(text): there are \(Self.names.map(\.name).joined(separator: ", "))")
      }
      strictness.insert(known.strictness)
    }
  }

  private static func seed(_ arguments: Arguments) throws(UsageError) -> UInt64 {
    guard let text = arguments.value("--seed") else { return 0 }
    guard let seed = UInt64(text) else { throw UsageError(description: "--seed \(text): a seed is a number from 0 to 2^64-1") }
    return seed
  }
}
