public import CaptureFiles

/// What a sniffer tells of a link, and no host's log does.
public struct AirLink: Sendable, Hashable {
  /// The end that asked for the connection; ``BluetoothAddress/unknown`` where the request was not heard.
  public var central: BluetoothAddress
  /// The end whose LL_TERMINATE_IND ended it; `nil` where none was heard.
  public var endedBy: LinkRole?
  /// Packets with a right checksum, and those among them that repeat one that was heard.
  public var packets = 0
  public var repeated = 0
  /// Packets with a payload that is encrypted and that nobody decrypted.
  public var undecoded = 0
  /// The longest payload that each end may send, in bytes.
  public var payload: Ends = Ends(central: 27, peripheral: 27)
  /// The PHY that each end sends on (1: 1M, 2: 2M, 4: Coded).
  public var phy: Ends = Ends(central: 1, peripheral: 1)

  /// A number for each end.
  public struct Ends: Sendable, Hashable {
    public var central: Int
    public var peripheral: Int
    /// Pairs both.
    public init(central: Int, peripheral: Int) { (self.central, self.peripheral) = (central, peripheral) }
  }

  /// Nothing heard yet but the request.
  init(central: BluetoothAddress) { self.central = central }
}
