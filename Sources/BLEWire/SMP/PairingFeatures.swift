/// What one end can do and wants, as Pairing Request and Pairing Response tell it.
///
/// Layout: `io(1) oob(1) authentication(1) maximumKeySize(1) initiatorKeys(1) responderKeys(1)`.
/// Source: Core 5.4, Vol 3, Part H, 3.5.1 and 3.5.2.
public struct PairingFeatures: Sendable, Hashable {
  public var io: IOCapability
  /// Whether it has the other end's data from another channel.
  public var hasOutOfBandData: Bool
  public var authentication: AuthenticationRequirements
  /// The longest encryption key, in bytes.
  public var maximumKeySize: UInt8
  /// Keys that the central is to distribute, and those that the peripheral is.
  public var initiatorKeys: KeyDistribution
  public var responderKeys: KeyDistribution

  /// Joins the parts.
  public init(
    io: IOCapability, hasOutOfBandData: Bool = false, authentication: AuthenticationRequirements, maximumKeySize: UInt8 = 16,
    initiatorKeys: KeyDistribution = [], responderKeys: KeyDistribution = []
  ) {
    (self.io, self.hasOutOfBandData, self.authentication, self.maximumKeySize) = (io, hasOutOfBandData, authentication, maximumKeySize)
    (self.initiatorKeys, self.responderKeys) = (initiatorKeys, responderKeys)
  }
}

/// What a device can show and be told; codes without a name survive.
///
/// Source: Core 5.4, Vol 3, Part H, 2.3.2.
public struct IOCapability: RawRepresentable, Sendable, Hashable {
  public let rawValue: UInt8
  /// Wraps an octet.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public static let displayOnly = IOCapability(rawValue: 0)
  public static let displayYesNo = IOCapability(rawValue: 1)
  public static let keyboardOnly = IOCapability(rawValue: 2)
  public static let noInputNoOutput = IOCapability(rawValue: 3)
  public static let keyboardDisplay = IOCapability(rawValue: 4)
}

/// The AuthReq octet: what a pairing is to give; bits without a name survive.
///
/// Source: Core 5.4, Vol 3, Part H, 3.5.1.
public struct AuthenticationRequirements: OptionSet, Sendable, Hashable {
  public let rawValue: UInt8
  /// Wraps an octet.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public static let bonding = AuthenticationRequirements(rawValue: 0x01)
  /// Protection against somebody in the middle.
  public static let mitm = AuthenticationRequirements(rawValue: 0x04)
  public static let secureConnections = AuthenticationRequirements(rawValue: 0x08)
  public static let keypress = AuthenticationRequirements(rawValue: 0x10)
  /// Support of the function h7.
  public static let ct2 = AuthenticationRequirements(rawValue: 0x20)
}

/// Keys that an end distributes.
///
/// Source: Core 5.4, Vol 3, Part H, 3.6.1.
public struct KeyDistribution: OptionSet, Sendable, Hashable {
  public let rawValue: UInt8
  /// Wraps an octet.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// LTK, EDIV and Rand of legacy pairing.
  public static let encryption = KeyDistribution(rawValue: 1)
  /// IRK and identity address.
  public static let identity = KeyDistribution(rawValue: 2)
  /// CSRK.
  public static let signing = KeyDistribution(rawValue: 4)
  /// The BR/EDR link key, derived from the LTK.
  public static let linkKey = KeyDistribution(rawValue: 8)
}
