import ReplayScenarios

/// What the links of a run made of the tapes of its peripherals.
extension AirCore {
  /// A session of one of the peripherals.
  struct PlayedSession: Hashable {
    var peripheral: Int
    var session: Int
  }

  /// Entries that were played, over all links that played a session.
  struct Exercise {
    var used: [Bool]
    /// Entries from here on are excused, for a fault touched a link that played it.
    var excusedFrom = Int.max
  }

  /// Keeps what a link that ends has played.
  func keepExercise(of connection: PeripheralConnection) { Self.add(connection, to: &exercises) }

  private static func add(_ connection: PeripheralConnection, to exercises: inout [PlayedSession: Exercise]) {
    let key = PlayedSession(peripheral: connection.report.peripheral, session: connection.report.session)
    let used = connection.tape.used
    var exercise = exercises[key] ?? Exercise(used: used)
    for (entry, isUsed) in used.enumerated() where isUsed && entry < exercise.used.count { exercise.used[entry] = true }
    exercise.excusedFrom = min(exercise.excusedFrom, connection.report.firstExcused)
    exercises[key] = exercise
  }

  /// The same with the links that are up.
  private var allExercises: [PlayedSession: Exercise] {
    var all = exercises
    for end in links.values { Self.add(end.connection, to: &all) }
    return all
  }

  /// How much of each scenario was exercised.
  var coverage: [Coverage] {
    let all = allExercises
    return peripherals.enumerated().map { number, peripheral in
      Coverage(peripheral, number: number) { all[PlayedSession(peripheral: number, session: $0)]?.used }
    }
  }

  /// Entries without which a run fails, and which no link played, in words.
  var missingEntries: [String] {
    let all = allExercises
    var lines: [String] = []
    for (number, peripheral) in peripherals.enumerated() {
      let place = peripherals.count > 1 ? "peripheral \(number + 1), " : ""
      for session in peripheral.sessions where chosenSessions?.contains(session.index) ?? true {
        let exercise = all[PlayedSession(peripheral: number, session: session.index)]
        for entry in session.required where !(exercise?.used[entry] ?? false) && entry < exercise?.excusedFrom ?? .max {
          let what = session.entries[entry].note.map { " (\($0))" } ?? ""
          lines.append(
            "\(place)session \(session.index + 1), entry \(entry + 1)\(what) is required, and the run ended before it"
              + (exercise == nil ? ": the session was not played" : ""))
        }
      }
    }
    return lines
  }
}
