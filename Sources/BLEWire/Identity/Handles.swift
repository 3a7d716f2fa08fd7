/// An attribute's number on one server; 0x0000 is reserved.
///
/// Source: Core 5.4, Vol 3, Part F, 3.2.2.
public struct AttributeHandle: RawRepresentable, Sendable, Hashable, Comparable, CustomStringConvertible {
  public let rawValue: UInt16
  /// Wraps a handle.
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  /// Wraps a handle.
  public init(_ rawValue: UInt16) { self.rawValue = rawValue }
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  /// `0x0021`.
  public var description: String { hexadecimal(rawValue) }
}

/// A controller's number for a connection, 12 bits.
///
/// Source: Core 5.4, Vol 4, Part E, 5.4.2.
public struct ConnectionHandle: RawRepresentable, Sendable, Hashable, Comparable, CustomStringConvertible {
  public let rawValue: UInt16
  /// Wraps a handle.
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  /// Wraps a handle.
  public init(_ rawValue: UInt16) { self.rawValue = rawValue }
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  /// `0x0040`.
  public var description: String { hexadecimal(rawValue) }
}

/// `0x` and four digits, lower-case.
package func hexadecimal(_ value: UInt16) -> String {
  let text = String(value, radix: 16)
  return "0x" + String(repeating: "0", count: 4 - text.count) + text
}

/// `0x` and two digits, lower-case.
package func hexadecimal(_ value: UInt8) -> String {
  let text = String(value, radix: 16)
  return "0x" + (text.count == 1 ? "0" + text : text)
}
