import CaptureFiles

// Following the links that a sniffer hears.
extension ReconstructionCore {
  /// Takes one packet from the air.
  mutating func addAir(_ record: borrowing CaptureRecord) {
    guard let packet = record.air else { return }
    guard packet.physicalChannel != .advertising else {
      if let request = air.add(advertised: packet, &advertiserTable, time: record.time) { connect(request, adapter: record.adapter) }
      return
    }
    var place = packet.physicalChannel == .data ? airConnections.find(record.adapter, packet.accessAddress) : nil
    let isDamaged = packet.crcIsValid == false || (place.map { airConnections.all[$0].isDamaged(packet) } ?? false)
    air.add(data: packet, isDamaged: isDamaged)
    guard !isDamaged, packet.physicalChannel == .data, let pdu = try? DataPDUView(parsing: packet.pdu) else { return }
    if place == nil {
      let connection = AirConnection(record.adapter, packet.accessAddress, request: nil, last)
      let (new, gone) = airConnections.addCandidate(connection)
      if let gone { implicit.close(gone.adapter, .air(gone.accessAddress), log: &log) }
      place = new
    }
    guard let place, !airConnections.all[place].isOver else { return }
    add(pdu, of: packet, place)
  }

  private mutating func add(_ pdu: borrowing DataPDUView, of packet: borrowing LinkLayerPacket, _ place: Int) {
    let payload = airConnections.all[place].encryption.plain(
      pdu, isDecrypted: packet.isDecrypted, isEncryptedBySniffer: packet.isEncryptedBySniffer == true)
    let (sender, isContradicted) = airConnections.all[place].sender(of: pdu, payload: payload, told: packet.isCentralToPeripheral, last)
    if isContradicted {
      let name = name(of: place)
      log.add(
        .directionConflict, .warning, frame: last.frame,
        packet.isCentralToPeripheral == nil
          ? "\(name): a PDU that only the \(sender) sends comes where the other end's was due"
          : "\(name): the sniffer takes the \(sender) for the sender of a PDU that it cannot send")
    }
    let succession = airConnections.all[place].follow(pdu, from: sender, last)
    let link = airConnections.all[place].link
    if let link {
      states[link].link.lastActivity = last.time
      states[link].link.air?.packets += 1
      if airConnections.all[place].encryption.isOn { noteEncryption(of: link) }
    }
    guard succession != .repetition else {
      if let link { states[link].link.air?.repeated += 1 }
      return
    }
    guard let payload else { return noteEncrypted(place) }
    guard payload.byteCount > 0 else { return }
    switch pdu.header.llid {
    case .control: control(payload, from: sender, place)
    case .start, .continuing:
      let isStart = pdu.header.llid == .start
      if succession == .gap, !isStart, let link { states[link].interrupt(sender, last, log: &log) }
      let length = Int(pdu.header.length) - airConnections.all[place].encryption.removed
      let fragment = L2CAPFragment(isStart: isStart, data: payload, missing: max(0, length - payload.byteCount))
      if let link {
        states[link].add(fragment, sent: sender == .central, last, log: &log)
      } else {
        addCandidate(fragment, from: sender, place)
      }
    case .reserved:
      let name = name(of: place)
      log.add(.malformedPacket, .warning, frame: last.frame, "\(name): a data PDU whose kind is reserved")
    }
  }

  /// Data of an access address that no request opened: a link that is older than the capture, or noise.
  private mutating func addCandidate(_ fragment: borrowing L2CAPFragment, from sender: LinkRole, _ place: Int) {
    let (adapter, address) = (airConnections.all[place].adapter, airConnections.all[place].accessAddress)
    guard let (_, held) = implicit.add(fragment, sent: sender == .central, adapter: adapter, .air(address), last, log: &log),
      let first = held.first, airConnections.promote(place)
    else { return }
    log.add(
      .implicitLink, .note, frame: first.context.frame,
      "link \(states.count + 1): the request that opened access address \(address) was not heard: "
        + "its addresses, its parameters and its MTU are not known")
    airConnections.all[place].link = states.count
    var link = Link(
      index: 0, adapter: adapter, connection: .air(address), isLowEnergy: true, localRole: nil, peer: .unknown, isImplicit: true,
      startFrame: first.context.frame, start: first.context.time, interval: 0, latency: 0, timeout: 0, initialInterval: 0,
      initialLatency: 0, initialTimeout: 0, lastActivity: last.time)
    link.air = AirLink(central: .unknown)
    link.air?.packets = airConnections.all[place].packets
    link.isEncrypted = airConnections.all[place].encryption.isOn
    append(link)
    replay(held, states.count - 1)
  }

  private mutating func noteEncrypted(_ place: Int) {
    guard let link = airConnections.all[place].link else { return }
    states[link].link.air?.undecoded += 1
    guard !airConnections.all[place].toldEncryption else { return }
    airConnections.all[place].toldEncryption = true
    log.add(
      .encryptedTraffic, .warning, frame: last.frame,
      "link \(link + 1): encrypted from frame \(last.frame): no key, so nothing from here on is decoded")
  }

  private func name(of place: Int) -> String {
    airConnections.all[place].link.map { "link \($0 + 1)" } ?? "access address \(airConnections.all[place].accessAddress)"
  }

  // MARK: - Link-layer control

  private mutating func control(_ payload: RawSpan, from sender: LinkRole, _ place: Int) {
    let opcode = LLControlOpcode(rawValue: payload.uint8(at: 0))
    airConnections.all[place].encryption.advance(opcode)
    guard let link = airConnections.all[place].link else {
      if opcode == .terminateIndication, payload.byteCount == 2 { airConnections.all[place].isOver = true }
      return
    }
    if airConnections.all[place].encryption.isOn { noteEncryption(of: link) }
    switch opcode {
    case .terminateIndication:
      guard payload.byteCount >= 2 else { break }
      airConnections.all[place].isOver = true
      states[link].link.air?.endedBy = sender
      end(link, frame: last.frame, time: last.time, reason: HCIErrorCode(rawValue: payload.uint8(at: 1)))
    case .connectionUpdateIndication:
      guard payload.byteCount >= 10 else { break }
      states[link].update(
        ConnectionParameters(interval: payload.uint16(at: 4), latency: payload.uint16(at: 6), timeout: payload.uint16(at: 8)), last)
    case .lengthRequest, .lengthResponse:
      guard payload.byteCount >= 7 else { break }
      let lengths = airConnections.all[place].learn(
        receive: Int(payload.uint16(at: 1)), send: Int(payload.uint16(at: 5)), of: sender)
      states[link].link.air?.payload = lengths
      states[link].update(
        centralLength: UInt16(clamping: lengths.central), peripheralLength: UInt16(clamping: lengths.peripheral), last)
    case .phyUpdateIndication:
      guard payload.byteCount >= 3 else { break }
      // 0 leaves a PHY as it is.
      if payload.uint8(at: 1) != 0 { states[link].link.air?.phy.central = Int(payload.uint8(at: 1)) }
      if payload.uint8(at: 2) != 0 { states[link].link.air?.phy.peripheral = Int(payload.uint8(at: 2)) }
      if let phys = states[link].link.air?.phy {
        states[link].update(centralPHY: LinkPHY(bit: phys.central), peripheralPHY: LinkPHY(bit: phys.peripheral), last)
      }
    case .encryptionRequest: states[link].beginEncryption(by: sender, last)
    case .rejectIndication, .rejectExtendedIndication: reject(opcode, payload, link)
    case .connectionParameterRequest:
      guard payload.byteCount >= 9 else { break }
      let range = ConnectionParameterRange(
        intervalMinimum: payload.uint16(at: 1), intervalMaximum: payload.uint16(at: 3), latency: payload.uint16(at: 5),
        timeout: payload.uint16(at: 7))
      states[link].askParameters(range, by: sender, last)
    case .connectionParameterResponse: states[link].answerParameters(.success, last)
    default: break
    }
  }

  /// The payload of a link is encrypted from here on, if it was not before.
  private mutating func noteEncryption(of link: Int) {
    guard !states[link].link.isEncrypted || states[link].security.encryption != nil else { return }
    states[link].link.isEncrypted = true
    states[link].endEncryption(.success, last)
  }

  /// `error(1)`, and in the extended form `opcode(1) error(1)` (Core 5.4, Vol 6, Part B, 2.4.2.14 and 2.4.2.18).
  private mutating func reject(_ opcode: LLControlOpcode, _ payload: RawSpan, _ link: Int) {
    let isExtended = opcode == .rejectExtendedIndication
    guard payload.byteCount >= (isExtended ? 3 : 2) else { return }
    let outcome = LinkProcedure.Outcome.failure(UInt16(payload.uint8(at: isExtended ? 2 : 1)))
    let rejected = isExtended ? LLControlOpcode(rawValue: payload.uint8(at: 1)) : .encryptionRequest
    switch rejected {
    case .encryptionRequest: if states[link].security.encryption != nil { states[link].endEncryption(outcome, last) }
    case .connectionParameterRequest: states[link].answerParameters(outcome, last)
    default: break
    }
  }

  // MARK: - Start and end

  private mutating func connect(_ request: AirTraffic.Request, adapter: UInt16) {
    let (data, context) = (request.data, last)
    guard data.accessAddress != .advertising else { return }
    guard airConnections.links < AirConnections.maximumLinks else {
      return log.add(
        .leftOut, .warning, frame: context.frame,
        "more than \(AirConnections.maximumLinks) links: the one that begins here is not followed")
    }
    // A pair of devices has one link: a new one says that the one before is over.
    for place in airConnections.all.indices where airConnections.all[place].adapter == adapter {
      let old = airConnections.all[place]
      guard
        old.accessAddress == data.accessAddress
          || (old.request?.advertiser == request.advertiser && old.request?.initiator == request.initiator)
      else { continue }
      closeSilent(place, replaced: true)
    }
    var new = AirConnection(adapter, data.accessAddress, request: request, context)
    new.link = states.count
    airConnections.open(new)
    var link = Link(
      index: 0, adapter: adapter, connection: .air(data.accessAddress), isLowEnergy: true, localRole: nil, peer: request.advertiser,
      startFrame: context.frame, start: context.time, interval: data.interval, latency: data.latency, timeout: data.timeout,
      initialInterval: data.interval, initialLatency: data.latency, initialTimeout: data.timeout, lastActivity: context.time)
    link.air = AirLink(central: request.initiator)
    append(link)
  }

  /// Ends a link of which nothing is heard any more: after its supervision timeout, where that has passed, else when another replaces it.
  ///
  /// A packet proves a link to live however long it was silent, so this is not decided before it has to be.
  private mutating func closeSilent(_ place: Int, replaced: Bool) {
    guard let link = airConnections.all[place].link, !airConnections.all[place].isOver else { return }
    let (state, heard) = (states[link].link, airConnections.all[place])
    // A link of which no packet was heard is given up after six intervals (Core 5.4, Vol 6, Part B, 4.5.2).
    let milliseconds = heard.packets == 0 ? Int(state.interval) * 15 / 2 : Int(state.timeout) * 10
    let wait = CaptureTime(seconds: Int64(milliseconds / 1000), nanoseconds: Int32(milliseconds % 1000) * 1_000_000)
    let deadline = heard.last.time.adding(wait)
    if milliseconds > 0, last.time >= deadline {
      // Who has no key does not hear the end of an encrypted link, and a link of which nothing was heard may never have been.
      let reason: HCIErrorCode? = heard.packets == 0 || heard.toldEncryption ? nil : .connectionTimeout
      log.add(
        .silentLink, .note, frame: heard.last.frame,
        heard.packets == 0
          ? "link \(link + 1): no packet of it was heard"
          : "link \(link + 1): nothing more was heard for its supervision timeout of \(milliseconds) ms: it was lost, or the sniffer lost it"
      )
      airConnections.all[place].isOver = true
      end(link, frame: heard.last.frame, time: deadline, reason: reason, after: heard.last)
    } else if replaced {
      log.add(
        .replacedLink, .warning, frame: last.frame,
        "its ends connect again without the end of link \(link + 1), which is taken as lost")
      airConnections.all[place].isOver = true
      end(link, frame: last.frame, time: last.time, reason: nil)
    }
  }

  /// The capture ends: links that were silent for their supervision timeout were over before.
  mutating func finishAir() {
    for place in airConnections.all.indices { closeSilent(place, replaced: false) }
  }
}

extension LinkPHY {
  /// The PHY of a bit in LL_PHY_UPDATE_IND (Core 5.4, Vol 6, Part B, 2.4.2.24).
  fileprivate init(bit: Int) { self.init(rawValue: bit == 4 ? 3 : UInt8(clamping: bit)) }
}
