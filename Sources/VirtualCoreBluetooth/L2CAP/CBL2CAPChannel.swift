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

  init(peer: CBPeer, psm: CBL2CAPPSM, inputStream: InputStream, outputStream: OutputStream) {
    (self.peer, self.psm, self.inputStream, self.outputStream) = (peer, psm, inputStream, outputStream)
  }
}
