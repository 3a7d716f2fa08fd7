public import Foundation

/// Another device.
public class CBPeer: NSObject, NSCopying, @unchecked Sendable {
  /// The identifier that the system made for the device; the same in each run for the same address.
  public let identifier: UUID

  init(identifier: UUID) { self.identifier = identifier }
  public func copy(with zone: NSZone? = nil) -> Any { self }
}
