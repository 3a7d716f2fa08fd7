public import Foundation

/// A connection-oriented channel to a peripheral; it is closed when nobody holds it any more.
public class CBL2CAPChannel: NSObject, @unchecked Sendable {
  /// The peripheral.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  public let peer: CBPeer!
  /// What comes from the peripheral; it is not opened yet.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  public let inputStream: InputStream!
  /// What goes to the peripheral; it is not opened yet.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  public let outputStream: OutputStream!
  /// The protocol that the channel is for.
  public let psm: CBL2CAPPSM

  private let pipe: ChannelPipe

  init(_ pipe: ChannelPipe, peer: CBPeer, psm: CBL2CAPPSM) {
    (self.pipe, self.peer, self.psm) = (pipe, peer, psm)
    (inputStream, outputStream) = (ChannelInputStream(pipe), ChannelOutputStream(pipe))
  }

  deinit { pipe.close() }
}
