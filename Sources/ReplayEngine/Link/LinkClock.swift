import BLEWire

/// When PDUs of a link arrive: the connection events of the link layer, with the room that each has.
///
/// Source: Core 5.4, Vol 6, Part B, 2.1, 2.2 and 4.5.
struct LinkClock {
  /// What is used of an event by one end.
  private struct Use {
    var event: Int64 = -1
    var packets = 0
    var airtime: Int64 = 0
  }

  private let timing: LinkTiming
  private var random: SeededRandom
  /// A moment at which an event begins; those after it follow at the interval.
  private var anchor: AirInstant
  /// Nanoseconds from event to event.
  private var interval: Int64
  /// Events that a peripheral with nothing to say may pass over.
  private var latency: Int64 = 0
  private var phys: (central: LinkPHY, peripheral: LinkPHY) = (.le1M, .le1M)
  /// Bytes of a packet's payload.
  private var dataLengths: (central: Int64, peripheral: Int64) = (27, 27)
  private var uses: (central: Use, peripheral: Use) = (Use(), Use())
  /// The last event in which something went over the link.
  private var lastBusy: Int64 = -1

  /// The interval of sessions that do not tell theirs, 30 ms.
  private static let usualInterval: Int64 = 30_000_000
  /// The time between packets, T_IFS, 150 µs.
  private static let interframeSpace: Int64 = 150_000

  init(_ timing: LinkTiming, _ parameters: ConnectionParameters?, from now: AirInstant, seed: UInt64) {
    self.timing = timing
    random = SeededRandom(seed: seed)
    anchor = now
    interval = timing.interval?.inNanoseconds ?? Self.usualInterval
    guard let parameters else { return }
    latency = Int64(parameters.latency)
    if timing.interval == nil { interval = Self.nanoseconds(parameters) }
  }

  private static func nanoseconds(_ parameters: ConnectionParameters) -> Int64 { Int64(max(6, parameters.interval)) * 1_250_000 }

  /// Something was settled that changes how packets go.
  mutating func note(_ procedure: LinkProcedure, at now: AirInstant) {
    switch procedure {
    case .updateParameters(let parameters): follow(parameters, at: now)
    case .updatePHY(let central, let peripheral): phys = (central, peripheral)
    case .updateDataLength(let central, let peripheral): dataLengths = (max(27, Int64(central)), max(27, Int64(peripheral)))
    default: break
    }
  }

  private mutating func follow(_ parameters: ConnectionParameters, at now: AirInstant) {
    latency = Int64(parameters.latency)
    guard timing.interval == nil else { return }
    // The new events begin where the old ones would have gone on.
    anchor = start(of: event(after: now))
    interval = Self.nanoseconds(parameters)
    uses = (Use(), Use())
    lastBusy = -1
  }

  private func event(after now: AirInstant) -> Int64 { max(0, now.duration(since: anchor).inNanoseconds) / interval + 1 }
  private func start(of event: Int64) -> AirInstant {
    let (time, overflow) = event.multipliedReportingOverflow(by: interval)
    return anchor.advanced(byNanoseconds: overflow ? .max : time)
  }

  /// When an ATT PDU of `count` bytes arrives that is sent now; later PDUs of its direction arrive later.
  mutating func arrival(of count: Int, fromCentral: Bool, at now: AirInstant) -> AirInstant {
    let ready = timing.jitter == .recorded ? now : now.advanced(by: timing.jitter.draw(nil, &random))
    guard timing.usesConnectionEvents else { return ready }
    var use = fromCentral ? uses.central : uses.peripheral
    let phy = fromCentral ? phys.central : phys.peripheral
    let dataLength = fromCentral ? dataLengths.central : dataLengths.peripheral
    let empty = Self.airtime(0, fromCentral ? phys.peripheral : phys.central)
    begin(&use, at: event(after: ready), fromCentral: fromCentral)
    // The header of L2CAP goes with it.
    var left = Int64(count) + 4
    while left > 0 {
      let payload = min(left, dataLength)
      left -= payload
      let needed = Self.airtime(payload, phy) + empty + 2 * Self.interframeSpace
      if use.packets > 0, use.airtime + needed > interval || use.packets >= timing.packetsPerEvent ?? .max {
        use = Use(event: use.event + 1)
      }
      use.packets += 1
      use.airtime += needed
    }
    if fromCentral { uses.central = use } else { uses.peripheral = use }
    lastBusy = max(lastBusy, use.event)
    return start(of: use.event).advanced(byNanoseconds: use.airtime - empty - 2 * Self.interframeSpace)
  }

  /// Goes to an event, unless the end is already in a later one.
  private func begin(_ use: inout Use, at event: Int64, fromCentral: Bool) {
    var event = event
    if fromCentral, latency > 0, lastBusy < event - 1 {
      // A peripheral that has nothing to say listens at every latency + 1st event after the last in which something went by.
      let step = latency + 1
      let passed = event - max(lastBusy, 0)
      event += (step - passed % step) % step
    }
    if event > use.event { use = Use(event: event) }
  }

  /// Nanoseconds that a packet with so many bytes of payload takes (Vol 6, Part B, 2.1 and 2.2).
  static func airtime(_ payload: Int64, _ phy: LinkPHY) -> Int64 {
    switch phy {
    case .le2M: (11 + payload) * 4000
    // Preamble, access address, coding indicator and first terminator; header, payload and CRC; second terminator. All at S=8, for a
    // host is not told the coding.
    case .leCoded: 376_000 + (5 + payload) * 64_000 + 24_000
    default: (10 + payload) * 8000
    }
  }
}
