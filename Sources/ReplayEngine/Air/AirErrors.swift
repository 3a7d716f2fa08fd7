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
    "the air is idle at \(time) s and the condition does not hold; \(circumstances)"
      + (isScanning ? "; a central is scanning and connects to nothing" : waitsFor.isEmpty ? "; no central waits for anything" : "")
  }

  var circumstances: String {
    (last.map { "the last event was: \($0)" } ?? "nothing has happened: was a manager made inside this air?")
      + (lastCall.map { "; the last call was \($0)" } ?? "")
      + (waitsFor.isEmpty ? "" : "; the app waits for \(waitsFor.joined(separator: ", "))")
  }
}

/// Time went on for as long as an air lets it, and what was waited for has not come.
public struct AirRestless: Error, Sendable, CustomStringConvertible {
  /// How long it was waited for, of the air's time, which is ``VirtualAir/runLimit``.
  public var limit: Duration
  /// When the air was stopped, and what was to be seen then.
  public var state: AirIdle

  /// How long it went on, what happened last and what to do.
  public var description: String {
    "the air went on for \(limit.components.seconds) s and the condition does not hold; \(state.circumstances); an app that comes back for ever, "
      + "or that has a timer that repeats, never comes to rest; where it is to take longer, raise air.runLimit"
  }
}

/// There is no air here.
public struct AirMissing: Error, Sendable, CustomStringConvertible {
  /// Why, and how to get one.
  public var description: String {
    "no air is set here; run inside a test with the trait .air(…) or in a ReplayTestCase, or use VirtualAir.$current.withValue"
  }
}
