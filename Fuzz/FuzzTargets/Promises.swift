/// Collects the promises that were not kept.
struct Promises {
  private(set) var broken: [String] = []

  /// Notes `what` where the condition does not hold; of a broken loop only the first ones.
  mutating func hold(_ condition: Bool, _ what: @autoclosure () -> String) {
    if !condition, broken.count < 10 { broken.append(what()) }
  }
}
