public import CaptureFiles

/// What tells a connection apart while it lasts: the handle that a controller gave it, or the access address of its packets on the air.
public enum LinkConnection: Sendable, Hashable, CustomStringConvertible {
  case handle(ConnectionHandle)
  case air(AccessAddress)

  /// `0x0040`, or `0x50656a3c`.
  public var description: String {
    switch self {
    case .handle(let handle): handle.description
    case .air(let address): address.description
    }
  }
}
