package import BLEWire
package import Dispatch

/// What an air tells a central's face.
package enum AirEvent {
  /// A packet of an advertiser was received; scan responses come on their own.
  case advertisement(peripheral: Int, address: BluetoothAddress, data: [UInt8], isScanResponse: Bool, isConnectable: Bool, rssi: Int)
  case connected(link: Int, peripheral: Int)
  case connectionFailed(peripheral: Int, HCIErrorCode)
  /// An ATT PDU; `bearer` is the number of the channel that carried it, 0 for the fixed one.
  case received(link: Int, [UInt8], bearer: Int)
  /// The peripheral did something besides attribute traffic.
  case procedure(link: Int, LinkProcedure)
  /// How what the central asked for came out.
  case settled(link: Int, LinkProcedure, LinkProcedure.Outcome)
  /// The user is asked whether to pair; ``AirCore/consent(_:on:)`` answers.
  case pairingAsked(link: Int, LinkProcedure)
  /// The link ended with the reason that the central's host is told; 0x16 where the central ended it.
  case disconnected(link: Int, HCIErrorCode)
  /// Whether the link's controller takes more writes without response.
  case credits(link: Int, areLeft: Bool)
  /// The adapter was switched on or off; its links are gone with it.
  case adapter(isOn: Bool)
  /// A timer that the central set came due.
  case timer(Int)
}

/// A face: the central's side of an air. Its calls come one at a time, inside the air's lock.
package protocol AirCentral: AnyObject, Sendable {
  func handle(_ event: AirEvent, in air: AirCore)
  /// Whether it pairs, encrypts and opens channels by itself; for one that does not, the air does what the recorded central's stack did.
  var performsProcedures: Bool { get }
  /// Whether its user is asked before the recorded pairing is played for it.
  var asksBeforePairing: Bool { get }
  /// Which face it is, for the faults that cannot be made to happen there; `nil` for one that takes them all.
  var face: Fault.Face? { get }
  /// Whether it does what the tape has by itself, so that nothing need be waited for.
  var followsTape: Bool { get }
  /// What its client asked for and did not get, in words.
  func waits(in air: AirCore) -> [String]
}

extension AirCentral {
  package var performsProcedures: Bool { false }
  package var asksBeforePairing: Bool { false }
  package var face: Fault.Face? { nil }
  package var followsTape: Bool { false }
  package func waits(in air: AirCore) -> [String] { [] }
}

/// A call that a face wants made on its client's queue.
package struct DelegateCall: Sendable {
  package var queue: DispatchQueue
  /// The method that is called; empty where it is none of the client's delegate.
  package var name: String
  package var body: @Sendable () -> Void

  package init(queue: DispatchQueue, name: String = "", body: @escaping @Sendable () -> Void) {
    (self.queue, self.name, self.body) = (queue, name, body)
  }
}

/// What a face keeps of its own for an air.
package protocol AirCompanion: AnyObject, Sendable {
  /// The air was closed; called with its lock held.
  func airHasClosed()
}
