@_exported public import BLEWire

/// What a virtual peripheral knows of its part: who it is, its attributes, and what happened in each recorded connection.
///
/// The document form is `understudy/1`, described in `docs/scenario-format.md`.
public struct Scenario: Sendable, Equatable {
  /// Where the scenario came from.
  public var origin: Origin?
  /// A person's words; tools keep them.
  public var note: String?
  /// How much a central may differ from the recording.
  public var match: MatchLevel
  /// What a request gets that matches nothing.
  public var unmatched: UnmatchedPolicy
  /// The peripheral.
  public var device: Device
  /// Its attributes, in handle order.
  public var database: [Attribute]
  /// What its attributes were later, after a firmware update or whatever else moved handles; sessions and entries name them by number.
  public var laterDatabases: [[Attribute]]
  /// What the device does whenever it is asked something; the first that fits is followed.
  public var rules: [Rule]
  /// What the app under test has to do.
  public var expectations: [Expectation]
  /// What is injected, in the words of `--fault`.
  public var faults: [String]
  /// One a recorded connection, in order.
  public var sessions: [Session]

  /// Joins the parts.
  public init(
    origin: Origin? = nil, note: String? = nil, match: MatchLevel = .perAttribute, unmatched: UnmatchedPolicy = .again,
    device: Device = Device(), database: [Attribute] = [], laterDatabases: [[Attribute]] = [], rules: [Rule] = [],
    expectations: [Expectation] = [], faults: [String] = [], sessions: [Session] = []
  ) {
    self.origin = origin
    self.note = note
    self.match = match
    self.unmatched = unmatched
    self.device = device
    self.database = database
    self.laterDatabases = laterDatabases
    (self.rules, self.expectations, self.faults) = (rules, expectations, faults)
    self.sessions = sessions
  }

  /// Every database, in order: the first has the number 1.
  public var databases: [[Attribute]] { [database] + laterDatabases }

  /// The database with a number, from 1; an empty one where there is none.
  public func database(_ number: Int) -> [Attribute] {
    if number == 1 { return database }
    return number > 1 && number - 2 < laterDatabases.count ? laterDatabases[number - 2] : []
  }

  /// The numbers of the databases that hold in a session, in order; those that do not exist are left out.
  public func databaseNumbers(of session: Session) -> [Int] {
    ([session.database] + session.entries.compactMap(\.database)).filter { (1...laterDatabases.count + 1).contains($0) }
  }
}

/// Where a scenario came from.
public struct Origin: Sendable, Equatable {
  /// The side whose log was kept.
  public enum Side: String, Sendable, Equatable, CaseIterable { case central, peripheral, air }
  /// The capture's file name, without its folders.
  public var file: String
  /// The moment of the first session, UTC, as ISO 8601 text.
  public var time: String?
  /// Which side's host was captured.
  public var capturedAt: Side?
  /// The tool and its version.
  public var tool: String?
  /// Whether addresses, names and the like were replaced.
  public var redacted = false
  /// Joins the parts.
  public init(file: String, time: String? = nil, capturedAt: Side? = nil, tool: String? = nil) {
    (self.file, self.time, self.capturedAt, self.tool) = (file, time, capturedAt, tool)
  }
}

/// How much a central may differ from the recording and still be answered from its tape.
public enum MatchLevel: String, Sendable, Equatable, CaseIterable {
  /// The recorded order, exact.
  case strict
  /// The recorded order for each attribute; attributes may interleave.
  case perAttribute
  /// No order: a write that stands next is consumed, any other is taken, and a read gets what was written last, else what was recorded.
  case stateful
}

/// What a request gets that matches no entry; it holds to the end of the run.
public enum UnmatchedPolicy: String, Sendable, Equatable, CaseIterable {
  /// The latest equal request's answer with its anchored notifications, else the database value, else error 0x0E.
  case again
  /// Error 0x0E; a command is dropped and counted.
  case error
  /// What the attribute answered last, whatever was written, with what followed it, else as with `again`.
  case last
  /// No answer, so that the central gives up after the 30 s of a transaction (Core 5.4, Vol 3, Part F, 3.3.3).
  case silence
  /// As `error`, and the verdict fails.
  case fail
}

/// How far a piece of a scenario can be trusted.
public enum Provenance: String, Sendable, Equatable, CaseIterable {
  /// A discovery or advertising report showed it.
  case discovered
  /// It follows for certain from other traffic, or was made up because a replay needs it.
  case inferred
  /// It was taken from another file.
  case sidecar
  /// A person wrote it.
  case hand
  /// The recording does not tell.
  case unknown
}

/// The peripheral as others see it before they connect.
public struct Device: Sendable, Equatable {
  /// Its address; `nil` where the recording does not show one.
  public var address: BluetoothAddress?
  /// Random addresses that it used besides, in the order of their use.
  public var addresses: [BluetoothAddress]
  /// Its name, from advertising or from the Device Name characteristic.
  public var name: String?
  /// The identifier that an app may have stored for it; made from the address where it is `nil`. 36-character form.
  public var identifier: String?
  /// What it advertises.
  public var advertising: Advertising?
  /// Whether it was seen to notify without a subscription.
  public var sendsUnsubscribed: Bool
  /// Whether it keeps what a bonded central subscribed to when the link ends (Core 5.4, Vol 3, Part G, 3.3.3.3).
  public var keepsSubscriptions: Bool
  /// The largest ATT MTU its server grants; 23 where no exchange was seen.
  public var mtu: Int
  /// Joins the parts.
  public init(
    address: BluetoothAddress? = nil, addresses: [BluetoothAddress] = [], name: String? = nil, identifier: String? = nil,
    advertising: Advertising? = nil,
    sendsUnsubscribed: Bool = false, keepsSubscriptions: Bool = false, mtu: Int = 23
  ) {
    self.address = address
    self.addresses = addresses
    self.name = name
    self.identifier = identifier
    self.advertising = advertising
    self.sendsUnsubscribed = sendsUnsubscribed
    self.keepsSubscriptions = keepsSubscriptions
    self.mtu = mtu
  }
}

/// An advertiser's packets.
public struct Advertising: Sendable, Equatable {
  /// The advertising data, as AD structures.
  public var data: [UInt8]
  /// The scan response, where there is one.
  public var scanResponse: [UInt8]?
  /// Whether a central can connect.
  public var connectable: Bool
  /// Time between two advertising events.
  public var interval: Duration
  /// Signal strength in dBm; 127 where it is not known.
  public var rssi: Int
  /// Whether it was seen or made up.
  public var provenance: Provenance
  /// Joins the parts.
  public init(
    data: [UInt8], scanResponse: [UInt8]? = nil, connectable: Bool = true, interval: Duration = .milliseconds(100), rssi: Int = -60,
    provenance: Provenance = .discovered
  ) {
    self.data = data
    self.scanResponse = scanResponse
    self.connectable = connectable
    self.interval = interval
    self.rssi = rssi
    self.provenance = provenance
  }
}

/// One attribute of the server: a service, an include, a characteristic with its value, or a descriptor.
///
/// A characteristic's declaration and its value are two attributes, as on the air; the model keeps both in one element.
public struct Attribute: Sendable, Equatable {
  /// What the attribute declares.
  public enum Kind: Sendable, Equatable {
    /// A service declaration that reaches to `end`.
    case service(uuid: BluetoothUUID, primary: Bool, end: AttributeHandle)
    /// An include of the service at `start`…`end`.
    case include(uuid: BluetoothUUID?, start: AttributeHandle, end: AttributeHandle)
    /// A characteristic declaration; its value stands at `value`, and is `content` of this element.
    case characteristic(uuid: BluetoothUUID, properties: UInt8, value: AttributeHandle)
    /// A descriptor or any other attribute with a type.
    case descriptor(uuid: BluetoothUUID)
    /// An attribute of which only the handle is known.
    case unknown
  }
  /// The attribute's handle; for a characteristic, its declaration's.
  public var handle: AttributeHandle
  public var kind: Kind
  /// The value of a characteristic or descriptor at the start of a run; `nil` where the recording does not tell.
  public var content: [UInt8]?
  /// The error that a read gets always, where the recording proves it.
  public var readError: ATTErrorCode?
  /// The error that a write gets always, where the recording proves it.
  public var writeError: ATTErrorCode?
  /// How much requests for it may differ from the recording, and what those get that match nothing, where it is not as the scenario says.
  public var match: MatchLevel?
  public var unmatched: UnmatchedPolicy?
  public var provenance: Provenance
  /// A person's words.
  public var note: String?
  /// Joins the parts.
  public init(
    handle: AttributeHandle, kind: Kind, content: [UInt8]? = nil, readError: ATTErrorCode? = nil, writeError: ATTErrorCode? = nil,
    match: MatchLevel? = nil, unmatched: UnmatchedPolicy? = nil, provenance: Provenance = .hand, note: String? = nil
  ) {
    self.handle = handle
    self.kind = kind
    self.content = content
    (self.match, self.unmatched) = (match, unmatched)
    self.readError = readError
    self.writeError = writeError
    self.provenance = provenance
    self.note = note
  }
}
