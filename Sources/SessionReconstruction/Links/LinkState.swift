import CaptureFiles

/// What is kept of a link while its records go by.
struct LinkState {
  var link: Link
  /// The PDUs that ``Link/peer`` sends in fragments, and those of the other end.
  private var received = Reassembler()
  private var sent = Reassembler()
  /// The transactions of the bearer in hand: of the fixed channel, but while a PDU of another channel is followed.
  var bearer = ATTBearer()
  var channels = ChannelTable()
  var hasToldUnknownChannel = false
  /// Which records the PDU at hand was joined of, for whoever observes; none where it lies whole in its record.
  private(set) var joinedPieces: [L2CAPPiece] = []
  /// Events that were told.
  var eventCount = 0
  var security = SecurityState()
  var controls = ControlState()
  /// What a server's attributes were before it told that they have changed, until what was discovered since shows whether they have.
  var changed: [LinkRole: EarlierDatabase] = [:]
  /// How often a server told that its attributes have changed.
  var changeCount = 0

  /// Who is told.
  let observer: (any ATTObserver)?
  /// The link's traffic, where it is to be kept.
  private(set) var recording: LinkRecording?

  init(_ link: Link, observer: (any ATTObserver)?, keepsTraffic: Bool) {
    (self.link, self.observer) = (link, observer)
    if keepsTraffic { recording = LinkRecording(start: link.start) }
  }

  /// Whether anybody asks what goes by.
  var isHeard: Bool { observer != nil || recording != nil }

  /// Hands on what the ends do besides attribute traffic.
  mutating func hand(_ event: LinkEvent) {
    recording?.add(event)
    observer?.observe(event)
  }

  /// The place of the record in hand; nothing that has to be counted, for it is handed on with every packet.
  struct Context {
    let frame: Int
    let time: CaptureTime
    let recordedTime: CaptureTime
  }

  /// Takes what one packet carries; `sent` says that it does not come from ``Link/peer``.
  mutating func add(_ fragment: borrowing L2CAPFragment, sent: Bool, _ context: Context, log: inout FindingLog) {
    link.lastActivity = context.time
    let sender = sent ? link.peerRole.other : link.peerRole
    let step: Reassembler.Step
    if sent {
      if self.sent.isOpen, fragment.isStart { take(self.sent.close(), sender, context, log: &log) }
      step = self.sent.add(fragment, frame: context.frame)
    } else {
      if received.isOpen, fragment.isStart { take(received.close(), sender, context, log: &log) }
      step = received.add(fragment, frame: context.frame)
    }
    guard case .whole(let channel, let end, let missing, let excess) = step else { return take(step, sender, context, log: &log) }
    if excess > 0 { noteExcess(excess, context, log: &log) }
    deliver(channel, fragment.data.extracting(L2CAPHeader.byteCount..<end), missing: missing, from: sender, context, log: &log)
  }

  /// A packet of one end was lost: what comes next does not continue the PDU that waits.
  mutating func interrupt(_ sender: LinkRole, _ context: Context, log: inout FindingLog) {
    if sender == link.peerRole {
      if received.isOpen { take(received.close(), sender, context, log: &log) }
    } else if sent.isOpen {
      take(sent.close(), sender, context, log: &log)
    }
  }

  /// Hands on what the fragments hold when the link ends or the capture does.
  mutating func finish(_ context: Context, log: inout FindingLog) {
    for sender in LinkRole.allCases {
      interrupt(sender, context, log: &log)
      settleChange(of: sender)
    }
    let waiting = bearer.waiting + channels.open.reduce(0) { $0 + $1.bearer.waiting }
    if waiting > 0 {
      log.add(
        .unanswered, .note, frame: context.frame,
        "\(waiting) request\(waiting == 1 ? "" : "s") without an answer at the end of link \(link.index)")
    }
    bearer = ATTBearer()
    finishChannels(context, log: &log)
  }

  /// Takes what a reassembler says of anything but a PDU that lies whole in its packet.
  private mutating func take(_ step: Reassembler.Step, _ sender: LinkRole, _ context: Context, log: inout FindingLog) {
    let (frame, index) = (context.frame, link.index)
    switch step {
    case .waiting, .whole: break
    case .joined(let channel, let missing, let excess):
      if excess > 0 { noteExcess(excess, context, log: &log) }
      deliverJoined(channel, missing: missing, from: sender, context, log: &log)
    case .orphan(let count):
      log.add(
        .missingStart, .warning, frame: frame, "link \(index): a continuation of \(count) bytes whose start was not seen or was complete")
    case .shortHeader(let count):
      log.add(.truncatedPDU, .warning, frame: frame, "link \(index): \(count) bytes are left of a packet, fewer than an L2CAP header")
    case .incomplete(let have, let all, let channel):
      log.add(.missingFragment, .warning, frame: frame, "link \(index): an L2CAP PDU ended with \(have) of \(all) bytes before this record")
      if let channel { deliverJoined(channel, total: all, from: sender, context, log: &log) }
    }
  }

  private func noteExcess(_ count: Int, _ context: Context, log: inout FindingLog) {
    log.add(.oversizedPDU, .warning, frame: context.frame, "link \(link.index): \(count) bytes more than the L2CAP length tells")
  }

  private mutating func deliverJoined(
    _ channel: L2CAPChannel, missing: Int? = nil, total: Int = 0, from sender: LinkRole, _ context: Context, log: inout FindingLog
  ) {
    // The signalling of BR/EDR may turn the roles.
    let isReceived = sender == link.peerRole
    let bytes = isReceived ? received.takePayload() : sent.takePayload()
    if let observer {
      joinedPieces = isReceived ? received.pieces : sent.pieces
      observer.observe(joinedPieces, channel: channel, pdu: bytes.byteSpan)
    }
    deliver(
      channel, bytes.byteSpan.suffix(from: L2CAPHeader.byteCount), missing: missing ?? (total - bytes.count), from: sender, context,
      log: &log)
    joinedPieces = []
    if isReceived { received.reuse(bytes) } else { sent.reuse(bytes) }
  }

  /// Remembers the attribute that a response, a value or a command proves to be there.
  private mutating func noteUse(_ event: ATTEvent, _ opcode: ATTOpcode) {
    guard let attribute = event.attribute else { return }
    switch opcode {
    case .handleValueNotification, .handleValueIndication, .readResponse, .readBlobResponse, .writeResponse, .prepareWriteResponse:
      if event.sender == .peripheral { link.usedHandles.insert(attribute) }
    case .writeCommand, .signedWriteCommand: if event.sender == .central { link.usedHandles.insert(attribute) }
    default: break
    }
  }

  private mutating func deliver(
    _ channel: L2CAPChannel, _ payload: RawSpan, missing: Int, from sender: LinkRole, _ context: Context, log: inout FindingLog
  ) {
    guard channel == .attribute, link.isLowEnergy else {
      return deliverOther(channel, payload, missing: missing, from: sender, context, log: &log)
    }
    if link.isImplicit, payload.byteCount > link.mtu { link.mtu = payload.byteCount }
    deliverAttribute(payload, missing: missing, bearer: 0, from: sender, context, log: &log)
  }

  /// What is no ATT on its fixed channel is seldom, and kept apart from what is.
  @inline(never)
  private mutating func deliverOther(
    _ channel: L2CAPChannel, _ payload: RawSpan, missing: Int, from sender: LinkRole, _ context: Context, log: inout FindingLog
  ) {
    switch channel {
    case .leSignalling where link.isLowEnergy, .classicSignalling where !link.isLowEnergy:
      signal(payload, missing: missing, from: sender, context, log: &log)
    case .securityManager where link.isLowEnergy: secure(payload, missing: missing, from: sender, context, log: &log)
    default: deliver(dynamic: channel, payload, missing: missing, from: sender, context, log: &log)
    }
  }

  /// Follows one ATT PDU, whichever channel carried it.
  mutating func deliverAttribute(
    _ payload: RawSpan, missing: Int, bearer number: Int, from sender: LinkRole, _ context: Context, log: inout FindingLog
  ) {
    link.attPDUs += 1
    var event = ATTEvent(
      frame: context.frame, time: context.time, recordedTime: context.recordedTime, link: link.index, linkStart: link.start,
      adapter: link.adapter, connection: link.connection, bearer: number,
      sender: sender, number: link.attPDUs, missing: missing)
    if missing > 0 {
      log.add(.truncatedPDU, .warning, frame: context.frame, "link \(link.index): an ATT PDU lacks its last \(missing) bytes")
    }
    do {
      let view = try ATTPDUView(parsing: payload)
      follow(view, &event, log: &log)
      noteUse(event, ATTOpcode(rawValue: payload.uint8(at: 0)))
    } catch {
      event.fault = error
      followDamaged(payload, &event, log: &log)
      if missing == 0 {
        log.add(
          .malformedPDU, .warning, frame: context.frame, "link \(link.index): an ATT PDU that the specification does not allow (\(error))")
      }
    }
    recording?.add(event, payload)
    observer?.observe(event, pdu: payload)
  }
}
