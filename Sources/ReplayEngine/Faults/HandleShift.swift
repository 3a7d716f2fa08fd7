import BLEWire

/// Attributes from a handle on have other handles.
public struct HandleShift: Sendable, Hashable, CustomStringConvertible {
  /// The first attribute that is moved, by its handle in the database.
  public var first: UInt16
  /// By how much its handle and all above it grow.
  public var offset: UInt16
  /// Whether the peripheral tells by Service Changed.
  public var isIndicated: Bool

  /// Joins all.
  public init(from first: UInt16, by offset: UInt16, serviceChanged isIndicated: Bool = false) {
    (self.first, self.offset, self.isIndicated) = (first, offset, isIndicated)
  }

  /// The form that the command line reads.
  public var description: String { "\(hexadecimal(first))+\(offset)\(isIndicated ? ":serviceChanged" : "")" }
}
