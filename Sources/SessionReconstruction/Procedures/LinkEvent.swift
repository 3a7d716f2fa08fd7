public import CaptureFiles

/// Something that the ends of a link did besides attribute traffic.
public struct LinkEvent: Sendable, Hashable {
  /// The record with which it began, from 1, and that record's time.
  public var frame: Int
  public var time: CaptureTime
  /// The link's number in the listing, from 1, and the time at which it began.
  public var link: Int
  public var linkStart: CaptureTime
  /// The event's number on its link, from 1.
  public var number: Int
  /// ATT PDUs of the link that were complete before it.
  public var position: Int
  /// The end that began it.
  public var sender: LinkRole
  public var procedure: LinkProcedure
  /// How it came out, and when; `nil` where nothing tells.
  public var outcome: LinkProcedure.Outcome?
  public var end: CaptureTime?
  /// Bytes at the end of a channel's data that the capture did not keep.
  public var missing = 0
}

extension LinkState {
  /// Tells of something that begins.
  @discardableResult
  mutating func tell(
    _ procedure: LinkProcedure, by sender: LinkRole, outcome: LinkProcedure.Outcome? = nil, missing: Int = 0, _ context: Context
  ) -> LinkEvent {
    eventCount += 1
    let event = LinkEvent(
      frame: context.frame, time: context.time, link: link.index, linkStart: link.start, number: eventCount, position: link.attPDUs,
      sender: sender, procedure: procedure, outcome: outcome, end: outcome == nil ? nil : context.time, missing: missing)
    hand(event)
    return event
  }

  /// Tells how it came out; the time is another where that was settled before this record.
  mutating func settle(_ event: inout LinkEvent, _ outcome: LinkProcedure.Outcome, at time: CaptureTime? = nil, _ context: Context) {
    (event.outcome, event.end) = (outcome, time ?? context.time)
    hand(event)
  }
}
