import CaptureFiles

/// What is kept of one access address while its packets go by.
struct AirConnection {
  let adapter: UInt16
  let accessAddress: AccessAddress
  /// Where its link stands in the list of all; `nil` while nothing proves that it is one.
  var link: Int?
  /// Whether the link was ended; what still comes belongs to none.
  var isOver = false
  /// What CONNECT_IND told; `nil` where it was not heard.
  let request: AirTraffic.Request?
  /// The last packet that was believed.
  var last: LinkState.Context
  var packets = 0
  var encryption = AirEncryption()
  var direction: AirDirection
  /// Whether it was told that the payload is encrypted, and that the sniffer's directions cannot be.
  var toldEncryption = false
  private var central = Side()
  private var peripheral = Side()
  private var lastSender: LinkRole?
  /// What each end told of the longest payloads that it receives and sends.
  var lengths: (central: (receive: Int, send: Int)?, peripheral: (receive: Int, send: Int)?)

  init(_ adapter: UInt16, _ accessAddress: AccessAddress, request: AirTraffic.Request?, _ context: LinkState.Context) {
    (self.adapter, self.accessAddress, self.request, last) = (adapter, accessAddress, request, context)
    direction = AirDirection(isSettled: request != nil)
  }

  /// The last packet of one end.
  private struct Side {
    var llid = DataPDUHeader.LLID.reserved
    /// `nil` before the first packet, and where the other end shows that more was sent than was heard.
    var sn: Bool?
    /// Whether the other end has accepted it.
    var isAcknowledged = false
    /// Whether packets behind it were not heard.
    var isFollowedByGap = false
    var bits: AirDirection.Bits?
    var payload: [UInt8] = []

    mutating func keep(_ pdu: borrowing DataPDUView) {
      (llid, sn, bits) = (pdu.header.llid, pdu.header.sn, AirDirection.Bits(pdu.header))
      (isAcknowledged, isFollowedByGap) = (false, false)
      payload.removeAll(keepingCapacity: true)
      payload.append(contentsOf: pdu.payload)
    }

    /// Takes what the other end expects next. Once it has accepted this packet, it expects the same number again only when it
    /// has accepted another.
    mutating func acknowledge(_ nesn: Bool) {
      guard let sn else { return }
      if nesn != sn { isAcknowledged = true } else if isAcknowledged { (self.sn, isFollowedByGap) = (nil, true) }
    }

    func isEqual(to pdu: borrowing DataPDUView) -> Bool {
      guard llid == pdu.header.llid, payload.count == pdu.payload.byteCount else { return false }
      for index in payload.indices where payload[index] != pdu.payload.uint8(at: index) { return false }
      return true
    }
  }

  /// How a packet follows the one of the same end before it.
  enum Succession { case next, repetition, gap }

  /// Whether a packet's checksum is wrong, where nobody told and the link's start was heard.
  func isDamaged(_ packet: borrowing LinkLayerPacket) -> Bool {
    guard packet.crcIsValid == nil, let request, let crc = packet.crc else { return false }
    // Zeros stand for none: crackle leaves them behind the payloads that it decrypted.
    if crc == 0 { return false }
    return LinkLayerCRC.of(packet.pdu, initial: request.data.crcInit) != crc
  }

  /// The end that sent a PDU, and whether a PDU contradicts what was known or told.
  mutating func sender(
    of pdu: borrowing DataPDUView, payload: RawSpan?, told: Bool?, _ context: LinkState.Context
  ) -> (role: LinkRole, isContradicted: Bool) {
    var evidence: AirDirection.Evidence?
    if let payload { evidence = AirDirection.Evidence(pdu, payload) }
    if let told {
      let role: LinkRole = told ? .central : .peripheral
      return (role, evidence.map { $0.isCertain && $0.sender != role } ?? false)
    }
    let bits = AirDirection.Bits(pdu.header)
    // Within an event the ends take turns, a packet every few hundred microseconds; repetitions are events apart.
    let eventTime: Int64 = 5_000_000
    if let lastSender, (0..<eventTime).contains(context.time.nanoseconds(since: last.time)) {
      let before = lastSender == .central ? central : peripheral
      if before.bits == bits, !before.isEqual(to: pdu) { direction.turn() }
    }
    let isContradicted = evidence.map { !direction.learn($0, bits) } ?? false
    return (direction.sender(bits), isContradicted)
  }

  /// Takes the place of a PDU in the row of its end's.
  mutating func follow(_ pdu: borrowing DataPDUView, from sender: LinkRole, _ context: LinkState.Context) -> Succession {
    let succession: Succession
    let side = sender == .central ? central : peripheral
    if side.isFollowedByGap {
      succession = .gap
    } else if side.sn != pdu.header.sn {
      succession = .next
    } else {
      succession = side.isEqual(to: pdu) ? .repetition : .gap
    }
    if sender == .central {
      central.keep(pdu)
      peripheral.acknowledge(pdu.header.nesn)
    } else {
      peripheral.keep(pdu)
      central.acknowledge(pdu.header.nesn)
    }
    (last, lastSender) = (context, sender)
    packets += 1
    return succession
  }
}

extension AirConnection {
  /// Takes what one end tells of its lengths, and tells what each may send from then on.
  mutating func learn(receive: Int, send: Int, of sender: LinkRole) -> AirLink.Ends {
    if sender == .central { lengths.central = (receive, send) } else { lengths.peripheral = (receive, send) }
    guard let central = lengths.central, let peripheral = lengths.peripheral else { return AirLink.Ends(central: 27, peripheral: 27) }
    // No end sends fewer than 27 (Core 5.4, Vol 6, Part B, 4.5.10).
    return AirLink.Ends(
      central: max(27, min(central.send, peripheral.receive)), peripheral: max(27, min(peripheral.send, central.receive)))
  }
}
