@_exported public import CaptureFiles

/// One of the two ends of a link.
public enum LinkRole: String, Sendable, Hashable, CaseIterable {
  case central, peripheral
  /// The other end.
  public var other: LinkRole { self == .central ? .peripheral : .central }
}

/// Where an ATT PDU stands: which link, which way, and what it answers.
public struct ATTEvent: Sendable, Hashable {
  /// The record that completes the PDU, from 1.
  public var frame: Int
  /// That record's time.
  public var time: CaptureTime
  /// The same as the file has it, where it is mended.
  public var recordedTime: CaptureTime
  /// The link's number in the listing, from 1.
  public var link: Int
  /// The time at which that link began.
  public var linkStart: CaptureTime
  public var adapter: UInt16
  public var connection: LinkConnection
  /// The number of the channel that carried it; 0 for the fixed channel of LE, and for the first of BR/EDR.
  public var bearer = 0
  /// The end that sent it.
  public var sender: LinkRole
  /// The PDU's number on its link, from 1.
  public var number: Int
  /// The number of the request or indication that it answers; `nil` for what answers none.
  public var answers: Int?
  /// The attribute that it names, or that the request it answers names; `nil` where there is none.
  public var attribute: AttributeHandle?
  /// How many bytes of the PDU the capture did not keep.
  public var missing: Int
  /// Why the PDU's bytes are none that the specification allows; `nil` where they are.
  public var fault: ParseError?
}

/// Takes ATT PDUs in the order of their completion, and what the ends of links do besides in the order of its beginning.
public protocol ATTObserver: AnyObject {
  /// Called once a PDU; `pdu` is borrowed for the call, without the bytes that the capture did not keep.
  func observe(_ event: ATTEvent, pdu: RawSpan)
  /// Called for a PDU of L2CAP that came in several packets, before what is in it; `pdu` is borrowed, with its header.
  func observe(_ pieces: [L2CAPPiece], channel: L2CAPChannel, pdu: RawSpan)
  /// Called for an SDU that came in several K-frames, before what is in it; `sdu` is borrowed, and the pieces are those of its bytes alone.
  func observe(_ pieces: [L2CAPPiece], sdu: RawSpan)
  /// Called when something begins, and with the same number again when more is known of it.
  func observe(_ event: LinkEvent)
}

extension ATTObserver {
  public func observe(_ event: LinkEvent) {}
  public func observe(_ pieces: [L2CAPPiece], channel: L2CAPChannel, pdu: RawSpan) {}
  public func observe(_ pieces: [L2CAPPiece], sdu: RawSpan) {}
}
