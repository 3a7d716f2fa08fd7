extension VirtualPhone {
  /// Ways of the framework that differ by version, or on which sources contradict each other. The first case of each is the one that is taken
  /// unless set; `docs/corebluetooth.md` names the sources.
  public struct Conventions: Sendable, Hashable {
    /// Which calls tell of a disconnection.
    public enum Disconnections: Sendable, Hashable {
      /// The newer one; where a delegate does not have it, the older.
      case timestamped
      /// The older one only, and no reconnection is reported: what the framework does for a delegate that has both.
      case legacyOnly
    }

    /// When peripherals have to be retrieved anew.
    public enum Invalidation: Sendable, Hashable {
      /// After a state below `poweredOff`.
      case belowPoweredOff
      /// After any state but `poweredOn`.
      case unlessPoweredOn
    }

    /// What is told of links that end because the radio is switched off.
    public enum RadioOff: Sendable, Hashable {
      /// Nothing; peripherals are found disconnected (from iOS 10 or 11 on).
      case silent
      /// A disconnection of each (iOS 9).
      case disconnects
    }

    /// What is told of a peripheral that has lost its keys when it is connected to.
    public enum LostPairing: Sendable, Hashable {
      /// `didFailToConnect`.
      case failsToConnect
      /// `didConnect`, then a disconnection.
      case disconnects
    }

    /// The domain of code 14.
    public enum LostPairingDomain: Sendable, Hashable {
      /// `CBErrorDomain`.
      case manager
      /// `CBATTErrorDomain`, seen on iOS 13.
      case attribute
    }

    /// What becomes of a request that is refused for want of pairing or encryption.
    public enum Pairing: Sendable, Hashable {
      /// It waits for the pairing and is made again; where that fails, its error is told.
      case repeats
      /// It fails with `insufficientEncryption` while the user is asked, and after that with what the peripheral answers.
      case failsMeanwhile
      /// Its error is told, and nothing is paired but what was recorded.
      case never
    }

    /// What becomes of `services` when a link ends.
    public enum ServicesAfterDisconnection: Sendable, Hashable {
      /// They are `nil` until they are looked for again.
      case forgotten
      /// They stay usable.
      case kept
    }

    /// What becomes of a connection that is not established (0x3E).
    public enum FailedEstablishment: Sendable, Hashable {
      /// `didFailToConnect` tells of it.
      case told
      /// The phone tries again without a word.
      case retried
    }

    /// What `canSendWriteWithoutResponse` and its callback tell.
    public enum Readiness: Sendable, Hashable {
      /// Whether there is room, and when there is some again.
      case told
      /// No room before the first write (macOS 11.0 to 11.2).
      case notUntilFirstWrite
      /// No room for the first five times that an app asks.
      case notForFirstPolls
      /// Whether there is room; the callback never comes.
      case neverCalled
    }

    /// What becomes of a write without response that finds no room.
    public enum WritesWithoutRoom: Sendable, Hashable {
      /// It is sent all the same, unless the controller is stalled.
      case sent
      /// It is dropped.
      case dropped
    }

    /// What becomes of a write without response that is longer than the MTU allows.
    public enum LongWritesWithoutResponse: Sendable, Hashable {
      /// It is dropped.
      case dropped
      /// It is cut.
      case truncated
    }

    /// What becomes of four bytes that a `CBUUID` is to be made from.
    public enum FourByteUUIDs: Sendable, Hashable {
      /// They are a UUID of 32 bits.
      case accepted
      /// They raise an exception, as on old systems.
      case refused
    }

    public var disconnections = Disconnections.timestamped
    public var invalidation = Invalidation.belowPoweredOff
    public var radioOff = RadioOff.silent
    public var lostPairing = LostPairing.failsToConnect
    public var lostPairingDomain = LostPairingDomain.manager
    public var pairing = Pairing.repeats
    public var servicesAfterDisconnection = ServicesAfterDisconnection.forgotten
    public var failedEstablishment = FailedEstablishment.told
    public var readiness = Readiness.told
    public var writesWithoutRoom = WritesWithoutRoom.sent
    public var longWritesWithoutResponse = LongWritesWithoutResponse.dropped
    public var fourByteUUIDs = FourByteUUIDs.accepted

    /// With the first case of each.
    public init() {}
  }
}
