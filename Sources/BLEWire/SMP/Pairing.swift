/// How the ends of a pairing make sure of each other.
///
/// Source: Core 5.4, Vol 3, Part H, 2.3.5.1.
public enum PairingMethod: String, Sendable, Hashable, CaseIterable {
  case justWorks, passkeyEntry, numericComparison, outOfBand

  /// The method that both ends' features lead to (tables 2.6 to 2.8).
  public init(initiator: PairingFeatures, responder: PairingFeatures) {
    let isSecure = Pairing.isSecure(initiator, responder)
    let hasData = (initiator.hasOutOfBandData, responder.hasOutOfBandData)
    // Legacy pairing needs the data at both ends, Secure Connections at one.
    if isSecure ? hasData.0 || hasData.1 : hasData.0 && hasData.1 {
      self = .outOfBand
    } else if !initiator.authentication.contains(.mitm), !responder.authentication.contains(.mitm) {
      self = .justWorks
    } else {
      self = Self.table(initiator.io, responder.io, isSecure: isSecure)
    }
  }

  private static func table(_ initiator: IOCapability, _ responder: IOCapability, isSecure: Bool) -> PairingMethod {
    let known = 0...IOCapability.keyboardDisplay.rawValue
    guard known.contains(initiator.rawValue), known.contains(responder.rawValue), initiator != .noInputNoOutput,
      responder != .noInputNoOutput
    else { return .justWorks }
    // Both can show a number and be told yes or no.
    if isSecure, initiator.canCompare, responder.canCompare { return .numericComparison }
    return initiator.hasKeyboard || responder.hasKeyboard ? .passkeyEntry : .justWorks
  }
}

extension IOCapability {
  fileprivate var hasKeyboard: Bool { self == .keyboardOnly || self == .keyboardDisplay }
  fileprivate var canCompare: Bool { self == .displayYesNo || self == .keyboardDisplay }
}

/// What a pairing agreed on, and the keys that followed.
public struct Pairing: Sendable, Hashable {
  /// One end's part.
  public struct End: Sendable, Hashable {
    public var features: PairingFeatures
    /// The keys that it was seen to send.
    public var sent: KeyDistribution
    /// Their values; `nil` where they are not kept.
    public var keys: PairingKeys?
    /// Joins the parts.
    public init(_ features: PairingFeatures, sent: KeyDistribution = [], keys: PairingKeys? = nil) {
      (self.features, self.sent, self.keys) = (features, sent, keys)
    }
  }

  /// `nil` where one end's features are not known.
  public var method: PairingMethod?
  /// Whether it is LE Secure Connections, not legacy pairing.
  public var isSecureConnections: Bool
  public var central: End?
  public var peripheral: End?

  /// Joins the parts.
  public init(method: PairingMethod? = nil, isSecureConnections: Bool = false, central: End? = nil, peripheral: End? = nil) {
    (self.method, self.isSecureConnections, self.central, self.peripheral) = (method, isSecureConnections, central, peripheral)
  }

  /// Whether both ends keep what they agreed on.
  public var isBonding: Bool {
    guard let central, let peripheral else { return false }
    return central.features.authentication.contains(.bonding) && peripheral.features.authentication.contains(.bonding)
  }

  /// Whether both ends support LE Secure Connections.
  static func isSecure(_ initiator: PairingFeatures, _ responder: PairingFeatures) -> Bool {
    initiator.authentication.contains(.secureConnections) && responder.authentication.contains(.secureConnections)
  }

  /// Takes what both ends' features lead to.
  public mutating func settle(initiator: PairingFeatures, responder: PairingFeatures) {
    method = PairingMethod(initiator: initiator, responder: responder)
    isSecureConnections = Self.isSecure(initiator, responder)
  }
}

/// Keys that one end distributed, the most significant octet first.
///
/// Source: Core 5.4, Vol 3, Part H, 3.6.
public struct PairingKeys: Sendable, Hashable {
  /// The LTK of legacy pairing, 16 bytes, with what names it.
  public var longTermKey: [UInt8]?
  public var diversifier: UInt16?
  /// Rand, 8 bytes.
  public var random: [UInt8]?
  /// IRK, 16 bytes, and the address that it stands for.
  public var identityResolvingKey: [UInt8]?
  public var identity: BluetoothAddress?
  /// CSRK, 16 bytes.
  public var signatureKey: [UInt8]?
  /// Without any.
  public init() {}
}
