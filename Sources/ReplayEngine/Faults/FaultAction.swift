public import BLEWire

extension Fault {
  /// What goes wrong.
  public enum Action: Sendable, Hashable {
    // The link
    /// The peripheral's end is gone: the link ends and the central's host is told this reason.
    case disconnect(HCIErrorCode)
    /// The central's own host ends the link: it is told 0x16.
    case localDisconnect
    /// The peripheral falls silent for good: the central takes the link for lost when its supervision timeout is over, with 0x08.
    case vanish
    /// The peripheral's host falls silent: it answers nothing and tells nothing any more, and the link stays up.
    case silence

    // The connection
    /// An attempt to connect fails with this status.
    case refuseConnection(HCIErrorCode)
    /// A connection comes up so much later.
    case delayConnection(Duration)
    /// A connection comes up and is gone at once, with 0x3E (Core 5.4, Vol 6, Part B, 4.5.2).
    case failEstablishment

    // A PDU
    /// A PDU arrives so much later, and what is behind it does not overtake it.
    case delay(Duration)
    /// A PDU is lost between the hosts.
    case drop
    /// A PDU arrives twice.
    case duplicate
    /// A PDU arrives behind the next one of its direction; where none comes within 1 s, then.
    case reorder
    /// A PDU arrives with other bits.
    case corrupt(Corruption)

    // The attribute server
    /// A request gets this error in place of its answer.
    case error(ATTErrorCode)
    /// Exchange MTU is answered so much later.
    case delayMTU(Duration)
    /// Exchange MTU is answered twice.
    case duplicateMTU
    /// No more than this ATT MTU is granted.
    case limitMTU(Int)
    /// Attributes are at other handles from here on, as after an update of the device's firmware.
    case moveHandles(HandleShift)

    // Security
    /// The peripheral has lost its bond: encryption with the stored key fails with 0x06, and attributes that need it refuse.
    case forgetBond
    /// Encryption fails with this status.
    case failEncryption(HCIErrorCode)

    // The radio and the central's controller
    /// Writes without response find no room for so long; for good without a time.
    case stallCredits(Duration?)
    /// The signal has this strength from here on, in dBm.
    case rssi(Int)
    /// The peripheral advertises with another address; one that cannot be resolved makes it another device for a central.
    case rotateAddress(resolvable: Bool)
    /// The peripheral does not advertise and takes no connection for so long; for good without a time. A link that is up stays.
    case stopAdvertising(Duration?)
    /// The central's adapter is switched off, and on again after a time; for good without one.
    case powerOff(Duration?)
  }

  /// What bits of a PDU are changed.
  public enum Corruption: Sendable, Hashable {
    /// One bit that the air's seed picks.
    case anyBit
    /// The byte at an offset, in a shorter PDU the last one, is combined by exclusive or with a mask that is not 0.
    case byte(offset: Int, mask: UInt8)
  }
}

extension Fault.Action {
  /// Encryption fails as if the peripheral refused it for a reason of its own.
  public static let failEncryption = Self.failEncryption(.authenticationFailure)
  /// An attempt to connect fails as it does where the peripheral does not answer.
  public static let refuseConnection = Self.refuseConnection(.connectionFailedToBeEstablished)
  /// A PDU arrives with one other bit.
  public static let corrupt = Self.corrupt(.anyBit)

  /// What an action is done to: to what the trigger is about where that is such a thing, else to the next.
  enum Target {
    /// The link, at once.
    case link
    /// An attempt to connect to the same peripheral.
    case connection
    /// A PDU in either direction.
    case pdu
    /// A request of the central's.
    case request
    /// An Exchange MTU Request of the central's.
    case exchangeMTU
    /// An encryption.
    case encryption
    /// The peripheral's radio or the central's adapter, at once, with a link or without.
    case radio
  }

  var target: Target {
    switch self {
    case .disconnect, .localDisconnect, .vanish, .silence, .moveHandles, .forgetBond, .stallCredits: .link
    case .refuseConnection, .delayConnection, .failEstablishment: .connection
    case .delay, .drop, .duplicate, .reorder, .corrupt: .pdu
    case .error: .request
    case .delayMTU, .duplicateMTU, .limitMTU: .exchangeMTU
    case .failEncryption: .encryption
    case .rssi, .rotateAddress, .stopAdvertising, .powerOff: .radio
    }
  }

  /// Whether the link is over with it.
  var endsLink: Bool {
    switch self {
    case .disconnect, .localDisconnect, .powerOff: true
    default: false
    }
  }

  /// Whether nothing else can go wrong at the same point once it has.
  var leavesNothing: Bool {
    switch self {
    case .vanish, .silence, .refuseConnection: true
    default: endsLink
    }
  }

  /// Whether the central is told of it by itself, so that it has to know the link first.
  var isTold: Bool {
    switch self {
    case .failEstablishment, .stallCredits: true
    default: endsLink
    }
  }

  /// Whether an app that knows nothing of it may do less than was recorded, from there on.
  var excuses: Bool {
    switch self {
    case .delay, .duplicate, .reorder, .delayMTU, .duplicateMTU, .limitMTU, .rssi, .stopAdvertising, .delayConnection,
      .refuseConnection:
      false
    default: true
    }
  }
}

extension Fault.Action: CustomStringConvertible {
  /// The form that the command line reads.
  public var description: String {
    switch self {
    case .disconnect(let reason): "disconnect:\(hexadecimal(reason.rawValue))"
    case .localDisconnect: "localDisconnect"
    case .vanish: "vanish"
    case .silence: "silence"
    case .refuseConnection(let status): "refuseConnection:\(hexadecimal(status.rawValue))"
    case .delayConnection(let time): "delayConnection:\(Fault.milliseconds(time))"
    case .failEstablishment: "failEstablishment"
    case .delay(let time): "delay:\(Fault.milliseconds(time))"
    case .drop: "drop"
    case .duplicate: "duplicate"
    case .reorder: "reorder"
    case .corrupt(.anyBit): "corrupt"
    case .corrupt(.byte(let offset, let mask)): "corrupt:\(offset)^\(hexadecimal(mask))"
    case .error(let code): "error:\(hexadecimal(code.rawValue))"
    case .delayMTU(let time): "delayMTU:\(Fault.milliseconds(time))"
    case .duplicateMTU: "duplicateMTU"
    case .limitMTU(let mtu): "limitMTU:\(mtu)"
    case .moveHandles(let shift): "moveHandles:\(shift)"
    case .forgetBond: "forgetBond"
    case .failEncryption(let status): "failEncryption:\(hexadecimal(status.rawValue))"
    case .stallCredits(let time): "stallCredits\(Self.suffix(time))"
    case .rssi(let strength): "rssi:\(strength)"
    case .rotateAddress(let resolvable): "rotateAddress\(resolvable ? ":resolvable" : "")"
    case .stopAdvertising(let time): "stopAdvertising\(Self.suffix(time))"
    case .powerOff(let time): "powerOff\(Self.suffix(time))"
    }
  }

  private static func suffix(_ time: Duration?) -> String { time.map { ":\(Fault.milliseconds($0))" } ?? "" }
}
