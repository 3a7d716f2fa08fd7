import CaptureFiles

/// The connection-oriented channels of one link, and the requests of signalling that wait for their answer.
struct ChannelTable {
  /// One channel that is open.
  struct Channel {
    var opening: L2CAPChannelOpening
    /// The opening's event, told again when the ends' MTUs change.
    var event: LinkEvent
    /// The channel's number at each end.
    var ends: Ends
    /// Whether K-frames carry it, or SDUs as they are.
    let hasCredits: Bool
    /// Whether the ends agreed on a mode whose frames are not followed.
    var isOpaque = false
    var central = SDUAssembler()
    var peripheral = SDUAssembler()
    /// The transactions of an ATT bearer.
    var bearer = ATTBearer()

    /// Whether ATT goes over it.
    var isBearer: Bool { opening.psm == (hasCredits ? L2CAPChannelOpening.enhancedATT : L2CAPChannelOpening.attributeProtocol) }
    var number: Int { opening.channel }
  }

  /// A number for each end.
  struct Ends {
    var central: UInt16
    var peripheral: UInt16

    init(_ own: UInt16, of end: LinkRole, other: UInt16) {
      (central, peripheral) = end == .central ? (own, other) : (other, own)
    }

    subscript(end: LinkRole) -> UInt16 { end == .central ? central : peripheral }
  }

  /// A request that waits.
  struct Pending {
    enum Request {
      case parameters(LinkEvent)
      /// Channels that are asked for, with the requester's numbers.
      case channels([(event: LinkEvent, opening: L2CAPChannelOpening, source: L2CAPChannel)], hasCredits: Bool)
    }
    let requester: LinkRole
    let identifier: UInt8
    var request: Request
  }

  /// Channels of one link, and requests, that are followed at once; more are given up, the oldest first.
  static let limit = 64
  private static let pendingLimit = 16
  var open: [Channel] = []
  private var pending: [Pending] = []
  private var lastNumber = 0

  /// Whether no channel was asked for yet.
  var isEmpty: Bool { lastNumber == 0 }

  /// The number of the next channel.
  mutating func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  mutating func wait(_ request: Pending) {
    if pending.count == Self.pendingLimit { pending.removeFirst() }
    pending.append(request)
  }

  /// Takes the request that a response from the other end answers.
  mutating func take(_ identifier: UInt8, requester: LinkRole) -> Pending? {
    guard let place = pending.lastIndex(where: { $0.identifier == identifier && $0.requester == requester }) else { return nil }
    return pending.remove(at: place)
  }

  mutating func add(_ channel: Channel) {
    // A number is used anew only when its channel is gone.
    open.removeAll { $0.ends.central == channel.ends.central || $0.ends.peripheral == channel.ends.peripheral }
    if open.count == Self.limit { open.removeFirst() }
    open.append(channel)
  }

  /// The place of the channel with this number at an end.
  func find(_ channel: L2CAPChannel, at end: LinkRole) -> Int? { open.firstIndex { $0.ends[end] == channel.rawValue } }
}

extension L2CAPChannelOpening {
  /// What an end takes.
  subscript(end: LinkRole) -> L2CAPChannelParameters? {
    get { end == .central ? central : peripheral }
    set { if end == .central { central = newValue } else { peripheral = newValue } }
  }
}
