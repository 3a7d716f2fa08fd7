import ByteParsing

/// What the line of a timeline entry says, over borrowed bytes: the one form that entries of every origin are written from.
package struct EntryLine: ~Escapable {
  /// A name that entries have or refer to.
  package enum Name: Equatable {
    case none
    case text(String)
    /// `e` and the number, as extraction gives names.
    case number(Int)
  }

  package enum Answer: Equatable {
    case absent, ok, none, value, pdu
    case mtu(UInt16)
    case error(UInt8)
    case refused(UInt16)

    init(_ answer: TimelineEntry.Answer?) {
      switch answer {
      case nil: self = .absent
      case .ok?: self = .ok
      case TimelineEntry.Answer.none?: self = .none
      case .mtu(let mtu)?: self = .mtu(mtu)
      case .error(let error)?: self = .error(error.rawValue)
      case .refused(let code)?: self = .refused(code)
      case .value?: self = .value
      case .pdu?: self = .pdu
      }
    }
  }

  package typealias Cancellation = ReplayScenarios.Anchor.Cancellation

  package enum Anchor {
    case none, connection, previous, idle
    /// The name says which.
    case entry, request
    /// The name says since which entry writes are counted, if any.
    case every(Int, AttributeHandle)
  }

  /// What few entries have.
  package struct Rest {
    package var bearer: Int?
    package var procedure: LinkProcedure?
    package var parts: [TimelineEntry.Part] = []
    package var matcher = WriteMatcher.exact
    package var truncated: Int?
    package var answerTruncated: Int?
    package var database: Int?
    package var isRequired = false
    package var note: String?
    package init() {}
  }

  /// Nanoseconds since the session's start.
  package let at: Int64
  package let isFromCentral: Bool
  package let key: ScenarioKeys.Entry
  /// The handle, the MTU or the reason.
  package let number: UInt16
  package let offset: UInt16
  /// The value, or the whole PDU.
  package let value: RawSpan
  package let answer: Answer
  package let answerBytes: RawSpan
  /// Nanoseconds.
  package let latency: Int64?
  package let name: Name
  package let anchor: Anchor
  package let anchorName: Name
  /// Nanoseconds.
  package let delay: Int64
  package let cancel: Cancellation
  package let rest: Rest

  @_lifetime(copy value, copy answerBytes)
  package init(
    at: Int64, isFromCentral: Bool, key: ScenarioKeys.Entry, number: UInt16, offset: UInt16 = 0, value: RawSpan, answer: Answer,
    answerBytes: RawSpan, latency: Int64?, name: Name, anchor: Anchor, anchorName: Name, delay: Int64, cancel: Cancellation,
    rest: Rest = Rest()
  ) {
    (self.at, self.isFromCentral, self.key, self.number, self.offset) = (at, isFromCentral, key, number, offset)
    self.value = value
    self.answer = answer
    self.answerBytes = answerBytes
    (self.latency, self.name, self.anchor, self.anchorName) = (latency, name, anchor, anchorName)
    (self.delay, self.cancel, self.rest) = (delay, cancel, rest)
  }
}

extension TimelineEntry.Action {
  /// The key under which the action is written.
  var key: ScenarioKeys.Entry {
    switch self {
    case .exchangeMTU: .mtu
    case .read: .read
    case .readBlob: .readBlob
    case .write: .write
    case .writeCommand: .command
    case .pdu: .pdu
    case .notify: .notify
    case .indicate: .indicate
    case .link(let procedure): procedure.key
    case .disconnect: .disconnect
    case .vanish: .vanish
    }
  }

  /// The handle, the MTU or the reason.
  var number: UInt16 {
    switch self {
    case .exchangeMTU(let mtu): mtu
    case .read(let handle), .readBlob(let handle, _), .write(let handle, _), .writeCommand(let handle, _), .notify(let handle, _),
      .indicate(let handle, _):
      handle.rawValue
    case .disconnect(let reason): UInt16(reason.rawValue)
    case .pdu, .link, .vanish: 0
    }
  }

  var offset: UInt16 { if case .readBlob(_, let offset) = self { offset } else { 0 } }

  /// The value, or the whole PDU.
  var bytes: [UInt8] {
    switch self {
    case .write(_, let value), .writeCommand(_, let value), .notify(_, let value), .indicate(_, let value), .pdu(let value),
      .link(.channelData(_, let value)):
      value
    default: []
    }
  }
}

extension TimelineEntry.Answer {
  /// The value, or the whole PDU.
  var bytes: [UInt8] {
    switch self {
    case .value(let bytes), .pdu(let bytes): bytes
    default: []
    }
  }
}
