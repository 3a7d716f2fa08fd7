/// Nothing more can happen on an air, and what was waited for has not come.
public struct AirIdle: Error, Sendable, CustomStringConvertible {
  /// When the air came to rest.
  public var time: AirInstant
  /// The last event of the log.
  public var last: String?
  /// The last call that was made to the app.
  public var lastCall: String?
  /// What the app asked for and did not get.
  public var waitsFor: [String]
  /// Whether a central still scans.
  public var isScanning: Bool

  /// What happened last and what is missing.
  public var description: String {
    "the air is idle at \(time) s and the condition does not hold; "
      + (last.map { "the last event was: \($0)" } ?? "nothing has happened: was a manager made inside this air?")
      + (lastCall.map { "; the last call was \($0)" } ?? "")
      + (waitsFor.isEmpty ? "" : "; the app waits for \(waitsFor.joined(separator: ", "))")
      + (isScanning ? "; a central is scanning and connects to nothing" : waitsFor.isEmpty ? "; no central waits for anything" : "")
  }
}

/// There is no air here.
public struct AirMissing: Error, Sendable, CustomStringConvertible {
  /// Why, and how to get one.
  public var description: String {
    "no air is set here; run inside a test with the trait .air(…) or in a ReplayTestCase, or use VirtualAir.$current.withValue"
  }
}
