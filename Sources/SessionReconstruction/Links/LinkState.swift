import CaptureFiles

/// What is kept of a link while its records go by.
struct LinkState {
  var link: Link
  /// What one end sends.
  struct Side {
    var fragments = Reassembler()
    var requests = ATTTransactions()
    /// The indication that waits for its confirmation.
    var indication: (number: Int, attribute: AttributeHandle?)?
    /// What its attributes were before it told that they have changed, until what was discovered since shows whether they have.
    var changed: EarlierDatabase?
  }
  var central = Side()
  var peripheral = Side()

  /// How often a server told that its attributes have changed.
  var changeCount = 0

  init(_ link: Link) { self.link = link }

  /// Where the tools of one call stand together: the record's place, and who is told.
  struct Context {
    let frame: Int
    let time: CaptureTime
    let recordedTime: CaptureTime
    let observer: (any ATTObserver)?
  }

  /// Takes what one packet carries; `sent` says that it does not come from ``Link/peer``.
  mutating func add(_ fragment: borrowing L2CAPFragment, sent: Bool, _ context: Context, log: inout FindingLog) {
    link.lastActivity = context.time
    let sender = sent ? link.peerRole.other : link.peerRole
    let step: Reassembler.Step
    if sender == .central {
      if central.fragments.isOpen, fragment.isStart { take(central.fragments.close(), .central, context, log: &log) }
      step = central.fragments.add(fragment)
    } else {
      if peripheral.fragments.isOpen, fragment.isStart { take(peripheral.fragments.close(), .peripheral, context, log: &log) }
      step = peripheral.fragments.add(fragment)
    }
    guard case .whole(let channel, let end, let missing, let excess) = step else { return take(step, sender, context, log: &log) }
    if excess > 0 { noteExcess(excess, context, log: &log) }
    deliver(channel, fragment.data.extracting(L2CAPHeader.byteCount..<end), missing: missing, from: sender, context, log: &log)
  }

  /// A packet of one end was lost: what comes next does not continue the PDU that waits.
  mutating func interrupt(_ sender: LinkRole, _ context: Context, log: inout FindingLog) {
    if sender == .central {
      if central.fragments.isOpen { take(central.fragments.close(), .central, context, log: &log) }
    } else if peripheral.fragments.isOpen {
      take(peripheral.fragments.close(), .peripheral, context, log: &log)
    }
  }

  /// Hands on what the fragments hold when the link ends or the capture does.
  mutating func finish(_ context: Context, log: inout FindingLog) {
    if central.fragments.isOpen { take(central.fragments.close(), .central, context, log: &log) }
    if peripheral.fragments.isOpen { take(peripheral.fragments.close(), .peripheral, context, log: &log) }
    settleChange(of: .central)
    settleChange(of: .peripheral)
    let waiting = central.requests.count + peripheral.requests.count
    if waiting > 0 {
      log.add(
        .unanswered, .note, frame: context.frame,
        "\(waiting) request\(waiting == 1 ? "" : "s") without an answer at the end of link \(link.index)")
    }
    (central.requests, peripheral.requests) = (ATTTransactions(), ATTTransactions())
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
    let bytes = sender == .central ? central.fragments.takePayload() : peripheral.fragments.takePayload()
    deliver(
      channel, bytes.byteSpan.suffix(from: L2CAPHeader.byteCount), missing: missing ?? (total - bytes.count), from: sender, context,
      log: &log)
    if sender == .central { central.fragments.reuse(bytes) } else { peripheral.fragments.reuse(bytes) }
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
    guard channel == .attribute, link.isLowEnergy else { return }
    link.attPDUs += 1
    if link.isImplicit, payload.byteCount > link.mtu { link.mtu = payload.byteCount }
    var event = ATTEvent(
      frame: context.frame, time: context.time, recordedTime: context.recordedTime, link: link.index, linkStart: link.start,
      adapter: link.adapter, connection: link.connection,
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
    context.observer?.observe(event, pdu: payload)
  }
}
