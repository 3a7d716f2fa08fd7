import CaptureFiles

// What the connection-oriented channels of a link carry: ATT, or an app's data.
extension LinkState {
  /// Takes a frame of a connection-oriented channel.
  mutating func deliver(
    dynamic channel: L2CAPChannel, _ payload: RawSpan, missing: Int, from sender: LinkRole, _ context: Context, log: inout FindingLog
  ) {
    guard let place = channels.find(channel, at: sender.other) else { return noteUnknown(channel, context, log: &log) }
    guard !channels.open[place].isOpaque else { return }
    guard channels.open[place].hasCredits else { return carry(payload, place, missing: missing, from: sender, context, log: &log) }
    let step =
      sender == .central
      ? channels.open[place].central.add(payload, missing: missing, record: context.frame, joined: joinedPieces)
      : channels.open[place].peripheral.add(payload, missing: missing, record: context.frame, joined: joinedPieces)
    switch step {
    case .waiting: break
    case .whole(let missing): carry(payload.suffix(from: 2), place, missing: missing, from: sender, context, log: &log)
    case .joined(let missing):
      let bytes = sender == .central ? channels.open[place].central.takeSDU() : channels.open[place].peripheral.takeSDU()
      observer?.observe(
        sender == .central ? channels.open[place].central.pieces : channels.open[place].peripheral.pieces, sdu: bytes.byteSpan)
      carry(bytes.byteSpan, place, missing: missing, from: sender, context, log: &log)
      if sender == .central { channels.open[place].central.reuse(bytes) } else { channels.open[place].peripheral.reuse(bytes) }
    case .malformed:
      log.add(
        .malformedPDU, .warning, frame: context.frame,
        "link \(link.index): a K-frame of \(payload.byteCount) bytes begins an SDU on channel \(channels.open[place].number)")
    case .excess(let count):
      log.add(
        .oversizedPDU, .warning, frame: context.frame,
        "link \(link.index): K-frames of channel \(channels.open[place].number) carry \(count) bytes more than their SDU has")
    }
  }

  /// Tells of channels of LE whose opening the capture does not show, once a link.
  private mutating func noteUnknown(_ channel: L2CAPChannel, _ context: Context, log: inout FindingLog) {
    guard link.isLowEnergy, channel.rawValue >= 0x40, !hasToldUnknownChannel else { return }
    hasToldUnknownChannel = true
    log.add(
      .unknownChannel, .note, frame: context.frame,
      "link \(link.index): data on channel 0x\(String(channel.rawValue, radix: 16)), whose opening the capture does not show, "
        + "are left out")
  }

  /// Hands on one SDU.
  private mutating func carry(
    _ sdu: RawSpan, _ place: Int, missing: Int, from sender: LinkRole, _ context: Context, log: inout FindingLog
  ) {
    let number = channels.open[place].number
    guard channels.open[place].isBearer else {
      if isHeard {
        tell(.channelData(channel: number, sdu.array), by: sender, missing: missing, context)
      } else {
        eventCount += 1
      }
      return
    }
    // Phones' logs keep nothing of what they filter; that is no PDU.
    guard sdu.byteCount > 0 else {
      return log.add(.truncatedPDU, .warning, frame: context.frame, "link \(link.index): nothing is left of an ATT PDU of \(missing) bytes")
    }
    let isFixed = !channels.open[place].hasCredits
    // A bearer pairs its own requests and responses.
    if !isFixed { swap(&bearer, &channels.open[place].bearer) }
    deliverAttribute(sdu, missing: missing, bearer: isFixed ? 0 : number, from: sender, context, log: &log)
    if !isFixed { swap(&bearer, &channels.open[place].bearer) }
  }

  /// The link ends: SDUs that are open lack what was still to come.
  mutating func finishChannels(_ context: Context, log: inout FindingLog) {
    for channel in channels.open {
      for open in [channel.central.open, channel.peripheral.open].compactMap({ $0 }) {
        log.add(
          .missingFragment, .warning, frame: context.frame,
          "link \(link.index): an SDU of channel \(channel.number) ended with \(open.have) of \(open.of) bytes")
      }
    }
    channels = ChannelTable()
  }
}
