/// A link of an air: its two ends and the ways between them.
final class LinkEnd {
  let number: Int
  let central: any AirCentral
  let connection: PeripheralConnection
  /// When the last ATT PDU was sent, in either direction; the beginning where there was none.
  var lastTraffic: AirInstant
  /// How many ATT PDUs were sent over it, in both directions.
  var pdus = 0
  /// The moments of the wake-ups that are on the queue, the earliest last; each is earlier than the one below it.
  var wakeUps: [AirInstant] = []
  /// Whether the link's end is decided: what the central sends now goes nowhere.
  var isEnding = false
  /// Whether it is just coming up.
  var isNew = false
  private var toPeripheral = LinkPath()
  private var toCentral = LinkPath()
  /// What delays PDUs besides faults; `nil` where nothing does.
  var clock: LinkClock?
  /// The moment for which the next arrival is on the queue.
  var arrivalWakeUp: AirInstant?
  /// Where the attributes are for the central, since they were moved.
  var handleShift: HandleShift?
  /// Of which such move the central was told last on this link.
  var indicatedShift: HandleShift?
  /// Faults that wait for the next PDU.
  var waitingFaults: [FaultSet.Due] = []
  /// How many PDUs were corrupted at one moment, and when that was.
  private var corruptions: (moment: AirInstant, count: Int)?

  init(number: Int, central: any AirCentral, connection: PeripheralConnection, at now: AirInstant) {
    (self.number, self.central, self.connection, lastTraffic) = (number, central, connection, now)
  }

  /// Counts a PDU that is corrupted; tells whether there were more of them at this moment than an app's requests explain.
  func isCorruptedTooOften(at now: AirInstant) -> Bool {
    let count = corruptions.map { $0.moment == now ? $0.count + 1 : 1 } ?? 1
    corruptions = (now, count)
    return count > 100
  }

  /// When a PDU arrives that is sent now.
  func arrival(of pdu: TransitPDU, fromCentral: Bool, at now: AirInstant) -> AirInstant {
    clock?.arrival(of: pdu.bytes.count, fromCentral: fromCentral, at: now) ?? now
  }

  /// Whether nothing is under way in a direction.
  func isClear(fromCentral: Bool) -> Bool { fromCentral ? toPeripheral.isClear : toCentral.isClear }

  /// The way in a direction.
  func path<Result>(fromCentral: Bool, _ body: (inout LinkPath) -> Result) -> Result {
    fromCentral ? body(&toPeripheral) : body(&toCentral)
  }

  /// When the next PDU arrives at either end.
  var nextArrival: AirInstant? {
    guard let one = toPeripheral.nextArrival, let other = toCentral.nextArrival else {
      return toPeripheral.nextArrival ?? toCentral.nextArrival
    }
    return min(one, other)
  }
}
