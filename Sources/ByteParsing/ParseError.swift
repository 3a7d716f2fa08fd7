/// The protocol layer or file format in which a parser met bytes it could not accept.
public enum ParseLayer: String, Sendable, Hashable {
  case file, btsnoop, monitor, h4
  case hciCommand = "HCI command"
  case hciEvent = "HCI event"
  case acl = "HCI ACL data"
  case l2cap = "L2CAP"
  case att = "ATT"
  case smp = "SMP"
  case advertising = "advertising data"
  case advertisingPDU = "LE advertising PDU"
  case dataPDU = "LE data PDU"
}

/// Why bytes were refused, where, and how many were needed; two errors are equal when their codes are.
///
/// `offset` counts from the first byte of the layer's own packet. A reader that knows the file position adds it when it reports.
@frozen
public struct ParseError: Error, Sendable, Hashable {
  /// The three outcomes of parsing are a value, `.truncated` (more bytes would help) and `.malformed` (none would).
  @frozen
  public enum Code: Sendable, Hashable { case truncated, malformed }

  /// What went wrong.
  public var code: Code
  /// In which layer.
  public var layer: ParseLayer
  /// Byte offset within the layer's packet.
  public var offset: Int
  /// Bytes needed at `offset`; 0 where more bytes would not help.
  public var needed: Int
  /// Bytes that were there.
  public var available: Int
  /// One clause for people; not part of the interface.
  public var reason: StaticString

  @inlinable
  package init(_ code: Code, layer: ParseLayer, offset: Int, needed: Int, available: Int, reason: StaticString) {
    self.code = code
    self.layer = layer
    self.offset = offset
    self.needed = needed
    self.available = available
    self.reason = reason
  }

  /// Cold, so that the checks that lead here stay small where they are inlined.
  @inline(never)
  @usableFromInline package static func truncated(_ layer: ParseLayer, at offset: Int, needed: Int, available: Int) -> ParseError {
    ParseError(.truncated, layer: layer, offset: offset, needed: needed, available: available, reason: "the bytes end early")
  }

  @inline(never)
  @usableFromInline package static func malformed(_ layer: ParseLayer, at offset: Int, _ reason: StaticString) -> ParseError {
    ParseError(.malformed, layer: layer, offset: offset, needed: 0, available: 0, reason: reason)
  }

  /// Errors are compared by their code: offsets and words may change, what a caller does about them does not.
  public static func == (left: ParseError, right: ParseError) -> Bool { left.code == right.code }
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension ParseError: CustomStringConvertible {
  public var description: String {
    switch code {
    case .truncated: "\(layer.rawValue), byte \(offset): \(reason), \(needed) needed, \(available) there"
    case .malformed: "\(layer.rawValue), byte \(offset): \(reason)"
    }
  }
}
