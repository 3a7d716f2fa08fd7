/// An ATT PDU on its way over a link.
struct TransitPDU {
  var bytes: [UInt8]
  /// The channel that carries it.
  var bearer: Int
  /// When it was sent.
  var sent = AirInstant.start
  /// What the peripheral had found out about it when a fault took it back.
  var resumption: PeripheralConnection.Resumption?
  /// Whether something was done to it on its way: its arrival then has a line of its own.
  var isTouched = false
  /// Until when the PDU behind it, if one comes, arrives before it.
  var overtakenUntil: AirInstant?
}

/// One direction of a link: a PDU enters when it is sent, and arrives then or later, in the order of entering.
struct LinkPath {
  /// How long a PDU that the next one is to overtake waits for that.
  static let patience = Duration.seconds(1)

  private struct Item {
    var pdu: TransitPDU
    var arrival: AirInstant
  }

  /// What is under way, in order; what stands before `first` has arrived.
  private var items: [Item] = []
  private var first = 0

  /// Whether nothing is under way, so that what is sent now may arrive by a direct call.
  var isClear: Bool { first == items.count }

  /// When what was sent last arrives, if anything is under way.
  var arrivalOfLast: AirInstant? { first < items.count ? items.last?.arrival : nil }

  /// When all that is under way now has arrived, if anything is.
  var lastArrival: AirInstant? { first < items.count ? items[first...].lazy.map(\.arrival).max() : nil }

  /// When the next PDU arrives.
  var nextArrival: AirInstant? {
    guard first < items.count else { return nil }
    guard let limit = items[first].pdu.overtakenUntil else { return items[first].arrival }
    return first + 1 < items.count ? min(limit, items[first + 1].arrival) : limit
  }

  /// A PDU enters behind all others, and arrives at `arrival` or, where those are later, with them.
  mutating func enter(_ pdu: TransitPDU, arriving arrival: AirInstant) { items.append(Item(pdu: pdu, arrival: arrival)) }

  /// A PDU that had arrived is put back before all others, and holds them up until it arrives again.
  mutating func putBack(_ pdu: TransitPDU, arriving arrival: AirInstant) {
    let item = Item(pdu: pdu, arrival: arrival)
    if first > 0 {
      first -= 1
      items[first] = item
    } else {
      items.insert(item, at: 0)
    }
  }

  /// Takes the next PDU that has arrived by `now`.
  mutating func next(at now: AirInstant) -> TransitPDU? {
    guard first < items.count else { return nil }
    if let limit = items[first].pdu.overtakenUntil, now < limit {
      guard first + 1 < items.count, items[first + 1].arrival <= now else { return nil }
      items.swapAt(first, first + 1)
      items[first + 1].pdu.overtakenUntil = nil
      items[first + 1].arrival = now
    }
    guard items[first].arrival <= now else { return nil }
    let pdu = items[first].pdu
    first += 1
    if first == items.count {
      items.removeAll(keepingCapacity: true)
      first = 0
    } else if first > 64, first * 2 > items.count {
      items.removeFirst(first)
      first = 0
    }
    return pdu
  }

  /// Takes all that is still under way when the link ends.
  mutating func takeAll() -> [TransitPDU] {
    defer { (items, first) = ([], 0) }
    return items[first...].map(\.pdu)
  }
}
