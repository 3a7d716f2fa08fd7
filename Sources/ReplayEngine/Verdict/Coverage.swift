import ReplayScenarios

/// How much of a scenario a run exercised: entries that an app's requests consumed or that the peripheral played, whichever the link.
public struct Coverage: Sendable, Equatable {
  /// One attribute's entries.
  public struct AttributeUse: Sendable, Equatable {
    /// Type and handle.
    public var name: String
    /// Its number in its database.
    public var handle: UInt16
    /// Entries that were exercised, and all.
    public var exercised: Int
    public var entries: Int
  }

  /// The scenario's place among the air's, from 0.
  public var peripheral: Int
  /// Sessions that were played, and all.
  public var playedSessions = 0
  public var sessions = 0
  /// Entries that were exercised, and all; those of the central's stack are left out.
  public var exercised = 0
  public var entries = 0
  /// The same by attribute, in the order of the handles; attributes that no entry names are left out.
  public var attributes: [AttributeUse] = []

  init(_ peripheral: VirtualPeripheral, number: Int, used: (Int) -> [Bool]?) {
    self.peripheral = number
    var uses: [String: AttributeUse] = [:]
    for session in peripheral.sessions where session.session.failed == nil {
      sessions += 1
      let used = used(session.index)
      if used != nil { playedSessions += 1 }
      for entry in session.entries.indices where !session.isStack[entry] {
        let isExercised = used?[entry] ?? false
        entries += 1
        if isExercised { exercised += 1 }
        guard let handle = session.entries[entry].attribute else { continue }
        let name = peripheral.maps.map(session.database(of: entry)).name(handle)
        var use = uses[name] ?? AttributeUse(name: name, handle: handle.rawValue, exercised: 0, entries: 0)
        use.entries += 1
        if isExercised { use.exercised += 1 }
        uses[name] = use
      }
    }
    attributes = uses.values.sorted { ($0.handle, $0.name) < ($1.handle, $1.name) }
  }
}
