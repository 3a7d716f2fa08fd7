import CaptureFiles

/// Tells which end sent a packet, where the sniffer does not.
///
/// Both ends begin with SN and NESN 0, the central sends first, and each packet that is accepted moves both bits by one: so SN and
/// NESN are equal in the central's packets and differ in the peripheral's, whatever was repeated or not heard. An end that has no
/// room for a packet answers with an old NESN, from where on it is the other way round. PDUs that only one end may send find that out.
/// Source: Core 5.4, Vol 6, Part B, 4.5.9.
struct AirDirection {
  /// The two bits of a packet.
  struct Bits: Equatable {
    let sn: Bool
    let nesn: Bool
    init(_ header: DataPDUHeader) { (sn, nesn) = (header.sn, header.nesn) }
  }

  private var centralsAreEqual = true
  /// Whether the start of the link, or a PDU, confirmed who is who.
  private var isSettled: Bool

  /// A link whose beginning was heard is settled from the start.
  init(isSettled: Bool) { self.isSettled = isSettled }

  /// What the bits alone tell.
  func sender(_ bits: Bits) -> LinkRole { (bits.sn == bits.nesn) == centralsAreEqual ? .central : .peripheral }

  /// A packet with the bits of the one before it, but with other bytes, in the same connection event: it is no repetition, so one
  /// end found no room.
  mutating func turn() { centralsAreEqual.toggle() }

  /// Takes what a PDU tells of its sender; `false` where that is not what was known.
  mutating func learn(_ evidence: Evidence, _ bits: Bits) -> Bool {
    guard sender(bits) != evidence.sender else {
      isSettled = true
      return true
    }
    // Both ends may be GATT clients: who asks says nothing once it is known who is who.
    guard evidence.isCertain || !isSettled else { return true }
    defer { isSettled = true }
    turn()
    return !isSettled
  }

  /// What a PDU tells of its sender.
  struct Evidence {
    let sender: LinkRole
    /// Whether the other end can never send it.
    let isCertain: Bool

    /// `nil` for a PDU that both ends send.
    init?(_ pdu: borrowing DataPDUView, _ payload: RawSpan) {
      switch pdu.header.llid {
      case .control:
        guard payload.byteCount > 0, let sender = Self.sender(of: LLControlOpcode(rawValue: payload.uint8(at: 0))) else { return nil }
        (self.sender, isCertain) = (sender, true)
      case .start:
        let fragment = L2CAPFragment(isStart: true, data: payload, missing: 0)
        guard let isFromCentral = LowEnergyFrame(fragment)?.isFromCentral, let header = L2CAPHeader(parsing: payload) else { return nil }
        (sender, isCertain) = (isFromCentral ? .central : .peripheral, header.channel != .attribute)
      case .continuing, .reserved: return nil
      }
    }

    private static func sender(of opcode: LLControlOpcode) -> LinkRole? {
      switch opcode {
      case .connectionUpdateIndication, .channelMapIndication, .encryptionRequest, .pauseEncryptionRequest, .featureRequest,
        .phyUpdateIndication:
        .central
      case .encryptionResponse, .startEncryptionRequest, .peripheralFeatureRequest: .peripheral
      default: nil
      }
    }
  }
}
