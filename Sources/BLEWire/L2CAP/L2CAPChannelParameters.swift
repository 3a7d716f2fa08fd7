/// What one end of a channel takes.
///
/// Source: Core 5.4, Vol 3, Part A, 4.22.
public struct L2CAPChannelParameters: Sendable, Hashable {
  /// The longest SDU that it receives, in bytes.
  public var mtu: UInt16
  /// The longest K-frame payload that it receives, in bytes; 0 for a channel of BR/EDR, which has none.
  public var mps: UInt16
  /// K-frames that it may be sent at first.
  public var credits: UInt16
  /// Joins the parts.
  public init(mtu: UInt16, mps: UInt16 = 0, credits: UInt16 = 0) { (self.mtu, self.mps, self.credits) = (mtu, mps, credits) }
}

/// The opening of a connection-oriented channel.
public struct L2CAPChannelOpening: Sendable, Hashable {
  /// The number of the channel on its link, from 1, in the order of the requests.
  public var channel: Int
  /// The protocol: PSM, or SPSM of LE.
  public var psm: UInt16
  /// What each end takes; `nil` for an end that did not tell.
  public var central: L2CAPChannelParameters?
  public var peripheral: L2CAPChannelParameters?
  /// Joins the parts.
  public init(channel: Int, psm: UInt16, central: L2CAPChannelParameters? = nil, peripheral: L2CAPChannelParameters? = nil) {
    (self.channel, self.psm, self.central, self.peripheral) = (channel, psm, central, peripheral)
  }

  /// The PSM of Enhanced ATT, and of ATT over BR/EDR (Assigned Numbers, 2.4).
  public static let enhancedATT: UInt16 = 0x0027
  public static let attributeProtocol: UInt16 = 0x001F

  /// Whether it is opened for an app, as all are but those that carry ATT.
  package var isOfAnApp: Bool { psm != Self.enhancedATT && psm != Self.attributeProtocol }

  /// The ATT MTU of a bearer on this channel: what both ends take (Core 5.4, Vol 3, Part F, 3.2.8).
  public var attributeMTU: Int {
    let ends = [central, peripheral].compactMap { $0.map { Int($0.mtu) } }
    return max(23, ends.min() ?? 23)
  }
}
