import ByteParsing
import CaptureFiles

// Following L2CAP's signalling: requests for connection parameters, and the channels that the ends open and close.
extension LinkState {
  /// Takes a frame of the signalling channel.
  mutating func signal(_ frame: RawSpan, missing: Int, from sender: LinkRole, _ context: Context, log: inout FindingLog) {
    var reader = ByteReader(frame, layer: .l2cap)
    do {
      // A frame of LE holds one command, one of BR/EDR as many as fit.
      repeat { handle(try L2CAPSignalView(parsing: &reader), from: sender, context) } while reader.remaining > 0 && !link.isLowEnergy
    } catch {
      if missing == 0 {
        log.add(
          .malformedPDU, .warning, frame: context.frame,
          "link \(link.index): a signalling command that the specification does not allow (\(error))")
      }
    }
  }

  private mutating func handle(_ signal: borrowing L2CAPSignalView, from sender: LinkRole, _ context: Context) {
    let identifier = signal.identifier
    switch signal.command {
    case .parameterUpdateRequest(let range):
      let event = tell(.requestParameters(range), by: sender, context)
      channels.wait(ChannelTable.Pending(requester: sender, identifier: identifier, request: .parameters(event)))
    case .parameterUpdateResponse(let result): answerParameters(identifier, result, from: sender, context)
    case .creditConnectionRequest(let psm, let source, let parameters):
      request([source], psm, parameters, hasCredits: true, identifier, from: sender, context)
    case .enhancedConnectionRequest(let psm, let parameters, var list):
      var sources: [L2CAPChannel] = []
      while let source = list.next() { sources.append(source) }
      request(sources, psm, parameters, hasCredits: true, identifier, from: sender, context)
    case .connectionRequest(let psm, let source):
      // Other protocols over BR/EDR are not followed.
      guard psm == L2CAPChannelOpening.attributeProtocol, !link.isLowEnergy else { return }
      let opener = turnToOpener(sender)
      request([source], psm, L2CAPChannelParameters(mtu: Self.classicMTU), hasCredits: false, identifier, from: opener, context)
    case .creditConnectionResponse(let destination, let parameters, let result):
      answer(identifier, result == 0 ? [destination] : [], parameters, result, from: sender, context)
    case .enhancedConnectionResponse(let parameters, let result, var list):
      var destinations: [L2CAPChannel] = []
      while let destination = list.next() { destinations.append(destination) }
      answer(identifier, destinations, parameters, result, from: sender, context)
    case .connectionResponse(let destination, _, let result, _):
      // 1 says that the answer is still to come.
      guard result != 1 else { return }
      answer(
        identifier, result == 0 ? [destination] : [], L2CAPChannelParameters(mtu: Self.classicMTU), result, from: sender, context)
    case .configurationRequest(let destination, _, let options): configure(destination, options, from: sender, context)
    case .reconfigureRequest(let mtu, let mps, var list):
      while let source = list.next() { reconfigure(source, mtu, mps, from: sender, context) }
    case .disconnectionRequest(let destination, _): close(destination, from: sender, context)
    case .commandReject(let reason, _): reject(identifier, reason, from: sender, context)
    case .configurationResponse, .disconnectionResponse, .flowControlCredit, .reconfigureResponse, .unknown: break
    }
  }

  /// The MTU of a channel of BR/EDR whose ends say nothing of it (Core 5.4, Vol 3, Part A, 5.1).
  private static let classicMTU: UInt16 = 672

  /// On BR/EDR the side that opens the channel of ATT takes the central's part; until then nobody knew who that is.
  private mutating func turnToOpener(_ sender: LinkRole) -> LinkRole {
    guard sender == .peripheral, channels.isEmpty, link.attPDUs == 0 else { return sender }
    link.localRole = link.localRole?.other
    return .central
  }

  private mutating func request(
    _ sources: [L2CAPChannel], _ psm: UInt16, _ parameters: L2CAPChannelParameters, hasCredits: Bool, _ identifier: UInt8,
    from sender: LinkRole, _ context: Context
  ) {
    let all = sources.map { source in
      var opening = L2CAPChannelOpening(channel: channels.nextNumber(), psm: psm)
      opening[sender] = parameters
      return (event: tell(.openChannel(opening), by: sender, context), opening: opening, source: source)
    }
    channels.wait(ChannelTable.Pending(requester: sender, identifier: identifier, request: .channels(all, hasCredits: hasCredits)))
  }

  /// Opens the channels that have a destination; the others were refused.
  private mutating func answer(
    _ identifier: UInt8, _ destinations: [L2CAPChannel], _ parameters: L2CAPChannelParameters, _ result: UInt16, from sender: LinkRole,
    _ context: Context
  ) {
    guard let waiting = channels.take(identifier, requester: sender.other), case .channels(let all, let hasCredits) = waiting.request else {
      return
    }
    for (place, asked) in all.enumerated() {
      var event = asked.event
      guard place < destinations.count, destinations[place].rawValue != 0 else {
        settle(&event, .failure(result), context)
        continue
      }
      var opening = asked.opening
      opening[sender] = parameters
      event.procedure = .openChannel(opening)
      settle(&event, .success, context)
      channels.add(
        ChannelTable.Channel(
          opening: opening, event: event,
          ends: ChannelTable.Ends(asked.source.rawValue, of: sender.other, other: destinations[place].rawValue), hasCredits: hasCredits))
      noteMTU(opening)
    }
  }

  private mutating func noteMTU(_ opening: L2CAPChannelOpening) {
    if !link.isLowEnergy, opening.psm == L2CAPChannelOpening.attributeProtocol { link.mtu = opening.attributeMTU }
  }

  private mutating func answerParameters(_ identifier: UInt8, _ result: UInt16, from sender: LinkRole, _ context: Context) {
    guard let waiting = channels.take(identifier, requester: sender.other), case .parameters(var event) = waiting.request else { return }
    settle(&event, result == 0 ? .success : .failure(result), context)
  }

  private mutating func reject(_ identifier: UInt8, _ reason: UInt16, from sender: LinkRole, _ context: Context) {
    switch channels.take(identifier, requester: sender.other)?.request {
    case .parameters(var event)?: settle(&event, .failure(reason), context)
    case .channels(let all, _)?:
      for asked in all {
        var event = asked.event
        settle(&event, .failure(reason), context)
      }
    case nil: break
    }
  }

  /// The options of a channel of BR/EDR: `type(1) length(1) value(length)`, the type's upper bit being a hint.
  private mutating func configure(_ destination: L2CAPChannel, _ options: RawSpan, from sender: LinkRole, _ context: Context) {
    guard let place = channels.find(destination, at: sender.other) else { return }
    var rest = options
    while rest.byteCount >= 2 {
      let (type, length) = (rest.uint8(at: 0) & 0x7F, Int(rest.uint8(at: 1)))
      guard rest.byteCount >= 2 + length else { return }
      if type == 0x01, length == 2 {
        change(place, of: sender, mtu: rest.uint16(at: 2), mps: 0, context)
      } else if type == 0x04, length >= 1 {
        channels.open[place].isOpaque = rest.uint8(at: 2) != 0
      }
      rest = rest.suffix(from: 2 + length)
    }
  }

  /// What an end takes from now on never gets less (Core 5.4, Vol 3, Part A, 4.27); it names its own channels.
  private mutating func reconfigure(_ source: L2CAPChannel, _ mtu: UInt16, _ mps: UInt16, from sender: LinkRole, _ context: Context) {
    guard let place = channels.find(source, at: sender), let now = channels.open[place].opening[sender] else { return }
    change(place, of: sender, mtu: max(now.mtu, mtu), mps: mps, context)
  }

  private mutating func change(_ place: Int, of end: LinkRole, mtu: UInt16, mps: UInt16, _ context: Context) {
    let credits = channels.open[place].opening[end]?.credits ?? 0
    channels.open[place].opening[end] = L2CAPChannelParameters(mtu: mtu, mps: mps, credits: credits)
    channels.open[place].event.procedure = .openChannel(channels.open[place].opening)
    hand(channels.open[place].event)
    noteMTU(channels.open[place].opening)
  }

  private mutating func close(_ destination: L2CAPChannel, from sender: LinkRole, _ context: Context) {
    guard let place = channels.find(destination, at: sender.other) else { return }
    let number = channels.open[place].number
    channels.open.remove(at: place)
    tell(.closeChannel(number), by: sender, context)
  }
}
