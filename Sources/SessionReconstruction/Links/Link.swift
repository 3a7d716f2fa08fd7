public import CaptureFiles

/// One connection of a capture, as far as the capture tells.
public struct Link: Sendable {
  /// Its number, from 1, in the order of connection.
  public var index: Int
  public var adapter: UInt16
  public var connection: LinkConnection
  /// `false` for BR/EDR.
  public var isLowEnergy: Bool
  /// The captured host's part; on BR/EDR the side that opens the channel of ATT counts as the central. `nil` for a link that a
  /// sniffer heard: neither end is the observer's.
  public var localRole: LinkRole?
  /// The other end; the peripheral where a sniffer heard the link.
  public var peer: BluetoothAddress
  /// Whether it was up before the capture began, so that its peer and parameters are not known.
  public var isImplicit = false
  /// The resolvable address that the peer used, where its identity is `peer`.
  public var peerResolvable: BluetoothAddress?
  /// The peer's identity, where its controller or a key tells that ``peer`` stands for it; where only the key is known, the address that
  /// the peer had on the first of its links.
  public var identity: BluetoothAddress?
  /// The record that opened it, and its time.
  public var startFrame: Int
  public var start: CaptureTime
  /// The record that ended it; `nil` where the capture ends first.
  public var endFrame: Int?
  public var end: CaptureTime?
  /// The reason in the Disconnection Complete event, or in LL_TERMINATE_IND.
  public var endReason: HCIErrorCode?
  /// Connection interval (1.25 ms), latency (events) and supervision timeout (10 ms), as they are in force at the end.
  public var interval: UInt16
  public var latency: UInt16
  public var timeout: UInt16
  /// The same at the start.
  public var initialInterval: UInt16
  public var initialLatency: UInt16
  public var initialTimeout: UInt16
  /// Whether encryption was switched on.
  public var isEncrypted = false
  /// Whether that was done with a key that was stored before.
  public var isBonded = false
  /// The last pairing, and how it came out; `nil` where there was none, or nothing tells.
  public var pairing: Pairing?
  public var pairingOutcome: LinkProcedure.Outcome?
  /// The ATT MTU in force at the end; where no exchange was completed 23, or the longest PDU of a link that was up before the capture.
  public var mtu = 23
  /// ATT PDUs on all channels.
  public var attPDUs = 0
  /// Attributes of the peripheral's server that were read, written or told.
  public var usedHandles = HandleSet()
  /// The attributes of each end's server, as discovered by the other; as they were last, where Service Changed told of another database.
  public var databases: [LinkRole: DiscoveredDatabase] = [:]
  /// What the attributes were before, in order.
  public var earlierDatabases: [EarlierDatabase] = []

  /// What only a sniffer tells; `nil` where a host's log is read.
  public var air: AirLink?
  /// The time of the last record that belongs to the link.
  public var lastActivity: CaptureTime

  /// The end that ``peer`` names.
  public var peerRole: LinkRole { localRole == .peripheral ? .central : .peripheral }
}

/// A connection that did not come about.
public struct FailedConnection: Sendable, Hashable {
  public var frame: Int
  public var time: CaptureTime
  public var adapter: UInt16
  public var status: HCIErrorCode
  public var handle: ConnectionHandle
  public var localRole: LinkRole
  /// The peer in the event; hosts often see zeros here.
  public var peer: BluetoothAddress
}

/// A Disconnection Complete event of a connection whose start the capture does not hold, or that failed.
public struct StrayDisconnection: Sendable, Hashable {
  public var frame: Int
  public var time: CaptureTime
  public var adapter: UInt16
  public var status: HCIErrorCode
  public var handle: ConnectionHandle
  public var reason: HCIErrorCode
}

extension Link {
  /// The address that the peer used on this link; `nil` where its controller's resolving hides it.
  public var usedAddress: BluetoothAddress? {
    peer.kind == .publicIdentity || peer.kind == .randomIdentity ? peerResolvable : peer
  }
}
