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
    // By database and handle: attributes get their names once.
    var counts: [Int: HandleTable<(exercised: Int, entries: Int)>] = [:]
    for session in peripheral.sessions where session.session.failed == nil {
      sessions += 1
      let used = used(session.index)
      if used != nil { playedSessions += 1 }
      var database = session.session.database
      var table = counts[database] ?? HandleTable()
      for entry in session.entries.indices where !session.isStack[entry] {
        if session.database(of: entry) != database {
          counts[database] = table
          database = session.database(of: entry)
          table = counts[database] ?? HandleTable()
        }
        let exercised = used?[entry] ?? false ? 1 : 0
        entries += 1
        self.exercised += exercised
        guard let handle = session.entries[entry].action.attribute else { continue }
        let count = table[handle] ?? (0, 0)
        table[handle] = (count.exercised + exercised, count.entries + 1)
      }
      counts[database] = table
    }
    // What has the same name in several databases is one attribute.
    var uses: [String: AttributeUse] = [:]
    for (database, table) in counts {
      for (handle, count) in table.all {
        let name = peripheral.maps.map(database).name(handle)
        var use = uses[name] ?? AttributeUse(name: name, handle: handle.rawValue, exercised: 0, entries: 0)
        use.exercised += count.exercised
        use.entries += count.entries
        uses[name] = use
      }
    }
    attributes = uses.values.sorted { ($0.handle, $0.name) < ($1.handle, $1.name) }
  }
}
