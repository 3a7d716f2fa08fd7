/// Something that the ends of a link do besides attribute traffic.
public indirect enum LinkProcedure: Sendable, Hashable {
  /// The peripheral asks for pairing or encryption (Core 5.4, Vol 3, Part H, 2.4.6).
  case securityRequest(AuthenticationRequirements)
  /// A pairing, from its request to the encryption that it leads to.
  case pair(Pairing)
  /// Encryption is switched on, or on anew.
  case encrypt(EncryptionKey)
  /// One end asks for other connection parameters.
  case requestParameters(ConnectionParameterRange)
  /// Other connection parameters are in force.
  case updateParameters(ConnectionParameters)
  /// The ends send on these PHYs.
  case updatePHY(central: LinkPHY, peripheral: LinkPHY)
  /// The ends send payloads of up to so many bytes.
  case updateDataLength(central: UInt16, peripheral: UInt16)
  case openChannel(L2CAPChannelOpening)
  /// One SDU on an open channel.
  case channelData(channel: Int, [UInt8])
  case closeChannel(Int)

  /// The origin of the key that a link is encrypted with.
  public enum EncryptionKey: String, Sendable, Hashable, CaseIterable {
    /// The pairing on this link made it.
    case paired
    /// It was stored when the link came up.
    case bonded
  }

  /// How a procedure that is asked for came out.
  public enum Outcome: Sendable, Hashable {
    case success
    /// The reason of Pairing Failed, the status of the encryption, or the result in the answer of L2CAP.
    case failure(UInt16)
  }

  /// The same without the values of keys.
  public var withoutKeys: LinkProcedure {
    guard case .pair(var pairing) = self else { return self }
    pairing.central?.keys = nil
    pairing.peripheral?.keys = nil
    return .pair(pairing)
  }

  /// Whether the other end has a say in it.
  public var isAsked: Bool {
    switch self {
    case .pair, .encrypt, .requestParameters, .openChannel: true
    case .securityRequest, .updateParameters, .updatePHY, .updateDataLength, .channelData, .closeChannel: false
    }
  }
}
