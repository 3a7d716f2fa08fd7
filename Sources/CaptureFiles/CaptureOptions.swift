/// How a capture is to be read.
public struct CaptureOptions: Sendable, Hashable {
  /// Leaves times as they were recorded, also where they go back.
  public var keepsRawTimes: Bool
  /// What pcap's user link types (147–162) mean in this capture, by their number.
  public var userLinkTypes: [UInt32: LinkType]
  /// Identity resolving keys of devices, 16 bytes each, the most significant octet first, besides those that the capture tells.
  public var identityResolvingKeys: [[UInt8]]

  /// Times are mended, user link types mean nothing, and no key is known.
  public init(keepsRawTimes: Bool = false, userLinkTypes: [UInt32: LinkType] = [:], identityResolvingKeys: [[UInt8]] = []) {
    (self.keepsRawTimes, self.userLinkTypes) = (keepsRawTimes, userLinkTypes)
    self.identityResolvingKeys = identityResolvingKeys
  }
}
