/// How a capture is to be read.
public struct CaptureOptions: Sendable, Hashable {
  /// Leaves times as they were recorded, also where they go back.
  public var keepsRawTimes: Bool
  /// What pcap's user link types (147–162) mean in this capture, by their number.
  public var userLinkTypes: [UInt32: LinkType]

  /// Times are mended, and user link types mean nothing.
  public init(keepsRawTimes: Bool = false, userLinkTypes: [UInt32: LinkType] = [:]) {
    (self.keepsRawTimes, self.userLinkTypes) = (keepsRawTimes, userLinkTypes)
  }
}
