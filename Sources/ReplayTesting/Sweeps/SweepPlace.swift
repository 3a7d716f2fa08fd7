/// Where the runs of a sweep take place.
public enum SweepPlace: Sendable, Hashable {
  /// In processes of their own, so many at once, as many as there are processors where the number is left out: an app that traps ends one run,
  /// not the sweep. What the body changes outside of its air and its app is not seen by the test.
  ///
  /// Where the system has no such processes, as on iOS, it is as ``thisProcess``.
  case otherProcesses(Int? = nil)
  /// In the test's process, one after the other, as a debugger wants it. An app that traps ends the test. Where there are no other processes,
  /// the test's next run tells of that point, and goes on behind it.
  case thisProcess

  /// The place that the environment asks for: `UNDERSTUDY_SWEEP_PROCESSES` is how many processes there are, and 0 is this one.
  func adjusted(by environment: [String: String]) -> SweepPlace {
    guard let count = environment["UNDERSTUDY_SWEEP_PROCESSES"].flatMap(Int.init), count >= 0 else { return self }
    return count == 0 ? .thisProcess : .otherProcesses(count)
  }
}
