public import BLEWire
public import Foundation

/// A phone's question whether to pair.
public struct PairingPrompt: Sendable {
  /// The peripheral that is to be paired with.
  public var identifier: UUID
  public var name: String?
  /// How the pairing was authenticated in the recording; `nil` where that does not tell.
  public var method: PairingMethod?
}

/// What a user does with a ``PairingPrompt``.
public enum PairingAnswer: Sendable, Hashable {
  case agree, refuse
  /// The answer comes after a time of the air's.
  indirect case after(Duration, PairingAnswer)
  /// The prompt is left alone.
  case ignore
}
