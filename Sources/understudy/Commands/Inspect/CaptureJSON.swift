import ByteParsing
import ReplayReports
import SessionReconstruction

/// What a capture holds, for programs.
enum CaptureJSON {
  static func document(_ capture: Reconstruction) -> JSONValue {
    .object([
      ("file", .string(capture.file)),
      ("format", .string(capture.format.name)),
      ("linkType", .optional(capture.format.linkType)),
      ("records", .integer(capture.records)),
      ("start", .optional(capture.start?.iso8601)),
      ("links", .array(capture.links.map(link))),
      ("peers", .array(CapturePeer.all(of: capture).map(peer))),
      ("failedConnections", .array(capture.failedConnections.map(failure))),
      ("strayDisconnections", .array(capture.strayDisconnections.map(stray))),
      ("advertisers", .array(advertisers(capture))),
      ("air", air(capture.air)),
      ("findings", .array(capture.findings.map(finding))),
    ])
  }

  private static func air(_ heard: AirTraffic) -> JSONValue {
    guard heard.packets > 0 else { return .null }
    return .object([
      ("advertisements", .integer(heard.advertisements)), ("scanRequests", .integer(heard.scanRequests)),
      ("connectionRequests", .integer(heard.connectionRequests)), ("data", .integer(heard.data)), ("encrypted", .integer(heard.encrypted)),
      ("damaged", .integer(heard.damaged)), ("malformed", .integer(heard.malformed)), ("links", .integer(heard.links.count)),
    ])
  }

  private static func link(_ link: Link) -> JSONValue {
    .object([
      ("index", .integer(link.index)),
      ("transport", .string(link.isLowEnergy ? "LE" : "BR/EDR")),
      ("adapter", .integer(Int(link.adapter))),
      ("handle", .optional(handle(link.connection))),
      ("accessAddress", .optional(link.air == nil ? nil : link.connection.description)),
      ("implicit", .bool(link.isImplicit)),
      ("peer", .optional(link.isImplicit ? nil : link.peer.description)),
      ("peerAddressType", .optional(link.isImplicit ? nil : link.peer.typeName)),
      ("peerResolvable", .optional(link.peerResolvable?.description)),
      ("identity", .optional(link.identity?.description)),
      ("localRole", .optional(link.localRole?.rawValue)),
      ("startFrame", .integer(link.startFrame)),
      ("start", .string(link.start.iso8601)),
      ("endFrame", .optional(link.endFrame)),
      ("end", .optional(link.end?.iso8601)),
      ("endReason", .optional(link.endReason.map { Int($0.rawValue) })),
      ("status", .integer(0)),
      ("mtu", .integer(link.mtu)),
      ("encrypted", .bool(link.isEncrypted)),
      ("bonded", .bool(link.isBonded)),
      ("pairing", link.securityJSON),
      ("attPDUs", .integer(link.attPDUs)),
      ("gatt", GATTJSON.services(link.databases[link.peerRole])),
      ("localGatt", GATTJSON.services(link.databases[link.peerRole.other])),
      ("air", heard(link.air)),
    ])
  }

  /// The number that a controller gave; nothing on the air has one.
  private static func handle(_ connection: LinkConnection) -> Int? {
    if case .handle(let handle) = connection { Int(handle.rawValue) } else { nil }
  }

  /// What a sniffer tells of a link beyond what a host's log does.
  private static func heard(_ air: AirLink?) -> JSONValue {
    guard let air else { return .null }
    return .object([
      ("central", .optional(air.central == .unknown ? nil : air.central.description)),
      ("centralAddressType", .optional(air.central == .unknown ? nil : air.central.typeName)),
      ("endedBy", .optional(air.endedBy?.rawValue)), ("packets", .integer(air.packets)), ("repeated", .integer(air.repeated)),
      ("undecoded", .integer(air.undecoded)),
    ])
  }

  private static func peer(_ peer: CapturePeer) -> JSONValue {
    .object([
      ("address", .optional(peer.isKnown ? peer.address.description : nil)),
      ("addresses", .array(peer.addresses.map { .string($0.description) })),
      ("name", .optional(peer.name)),
      ("services", .array(peer.services.map { .string($0.description) })),
      ("links", .array(peer.links.map { .integer($0.index) })),
      ("playable", .optional(peer.playability)),
    ])
  }

  private static func failure(_ failure: FailedConnection) -> JSONValue {
    .object([
      ("frame", .integer(failure.frame)),
      ("time", .string(failure.time.iso8601)),
      ("adapter", .integer(Int(failure.adapter))),
      ("status", .integer(Int(failure.status.rawValue))),
      ("handle", .integer(Int(failure.handle.rawValue))),
      ("localRole", .string(failure.localRole.rawValue)),
      ("peer", .string(failure.peer.description)),
      ("peerAddressType", .string(failure.peer.typeName)),
    ])
  }

  private static func stray(_ event: StrayDisconnection) -> JSONValue {
    .object([
      ("frame", .integer(event.frame)),
      ("time", .string(event.time.iso8601)),
      ("adapter", .integer(Int(event.adapter))),
      ("status", .integer(Int(event.status.rawValue))),
      ("handle", .integer(Int(event.handle.rawValue))),
      ("reason", .integer(Int(event.reason.rawValue))),
    ])
  }

  private static func advertisers(_ capture: Reconstruction) -> [JSONValue] {
    capture.advertisers.values
      .sorted { ($0.address.value, $0.address.kind.rawValue) < ($1.address.value, $1.address.kind.rawValue) }
      .map { advertiser in
        .object([
          ("address", .string(advertiser.address.description)),
          ("addressType", .string(advertiser.address.typeName)),
          ("name", .optional(advertiser.name)),
          ("connectable", .bool(advertiser.isConnectable)),
          ("reports", .integer(advertiser.reports)),
          ("rssi", .optional(advertiser.rssi == 127 ? nil : Int(advertiser.rssi))),
          ("first", .string(advertiser.first.iso8601)),
          ("last", .string(advertiser.last.iso8601)),
          ("data", .string(Hexadecimal.encode(advertiser.data))),
          ("scanResponse", .optional(advertiser.scanResponse.map { Hexadecimal.encode($0) })),
        ])
      }
  }

  private static func finding(_ finding: Finding) -> JSONValue {
    .object([
      ("code", .string(finding.code.rawValue)),
      ("severity", .string(finding.severity.rawValue)),
      ("frame", .optional(finding.frame)),
      ("message", .string(finding.message)),
    ])
  }
}
