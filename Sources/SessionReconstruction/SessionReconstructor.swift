public import CaptureFiles

/// Turns the records of a capture into links, ATT transactions and attribute databases, in one pass.
///
/// A link is told by adapter, connection handle and epoch: each completed connection opens a new one. Nothing that a record
/// holds stops it; what does not fit becomes a finding.
public final class SessionReconstructor {
  // One value, so that a record costs one access check however much it changes.
  private var core: ReconstructionCore

  /// `observer` gets every ATT PDU; it must not use the reconstructor while it is called. `identityResolvingKeys`, 16 bytes each and
  /// the most significant octet first, are known besides those that the records tell.
  public init(identityResolvingKeys: [[UInt8]] = [], observer: (any ATTObserver)? = nil) {
    core = ReconstructionCore(observer: observer)
    for key in identityResolvingKeys { core.identities.add(key, nil) }
  }

  /// Takes the next record.
  public func add(_ record: borrowing CaptureRecord) { core.add(record) }

  /// Ends what is still open; call it after the last record.
  public func finish() { core.finish() }

  /// Links in the order of connection.
  public var links: [Link] { core.states.map(\.link) }
  /// Connections that did not come about, in order.
  public var failedConnections: [FailedConnection] { core.failedConnections }
  /// Ends of connections that are not known, in order.
  public var strayDisconnections: [StrayDisconnection] { core.strayDisconnections }
  /// Advertisers by address.
  public var advertisers: [BluetoothAddress: Advertiser] { core.advertiserTable.advertisers }
  /// What a sniffer heard.
  public var air: AirTraffic { core.air }
  /// The identity resolving keys that the capture tells, or the reader was given, the most significant octet of each first.
  package var identityResolvingKeys: [[UInt8]] { core.identities.keys }
  /// What was found above the container.
  public var findings: FindingLog { core.log }

  /// HCI packets seen, by kind.
  public var packetCounts: [CaptureRecord.Kind: Int] {
    let counts = core.counts
    let all: [(CaptureRecord.Kind, Int)] = [
      (.command, counts.commands), (.event, counts.events), (.aclData, counts.acl), (.synchronousData, counts.synchronous),
      (.isochronousData, counts.isochronous),
    ]
    return Dictionary(uniqueKeysWithValues: all.filter { $0.1 > 0 })
  }
}
