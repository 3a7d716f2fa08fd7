import CaptureFiles

/// Follows when the payload of one link is encrypted, and whether it can be read all the same.
///
/// Encryption begins with LL_START_ENC_REQ, the last PDU of its procedure that is sent in plain; LL_PAUSE_ENC_RSP of the central
/// ends it, again in plain. What was not heard of the procedure is made up for: from LL_ENC_REQ on little may be sent in plain.
/// Source: Core 5.4, Vol 6, Part B, 5.1.3.
struct AirEncryption {
  private enum Phase {
    case off
    /// LL_ENC_REQ, then LL_ENC_RSP were heard.
    case requested, answered
    case on
  }
  private var phase = Phase.off
  /// Whether the file has payloads in plain although the link is encrypted, without saying so: somebody decrypted it.
  private var isInPlain = false
  /// Whether payloads that were decrypted still have their message integrity check.
  private var hasMIC = false
  /// Bytes that the last payload was relieved of.
  private(set) var removed = 0

  /// Whether the link's payload is encrypted on the air.
  var isOn: Bool { phase == .on }

  static let micByteCount = 4

  /// The bytes of a payload that can be read; `nil` where they are encrypted.
  @_lifetime(copy pdu)
  mutating func plain(_ pdu: borrowing DataPDUView, isDecrypted: Bool, isEncryptedBySniffer: Bool) -> RawSpan? {
    let payload = pdu.payload
    removed = 0
    guard payload.byteCount > 0 else { return payload }
    if isDecrypted {
      phase = .on
      learnMIC(pdu)
      return withoutMIC(payload, of: pdu)
    }
    if isEncryptedBySniffer {
      phase = .on
      return nil
    }
    switch phase {
    case .off: return payload
    case .requested, .answered:
      if pdu.header.llid == .control ? Self.isPlainControl(pdu, mic: 0) : isPlainData(pdu) { return payload }
      phase = .on
      return nil
    case .on:
      if pdu.header.llid == .control {
        // With its check value no control PDU has fewer than five bytes, and none has LL_ENC_REQ's number.
        let length = Int(pdu.header.length)
        if length <= Self.micByteCount || (length == 23 && pdu.controlOpcode == .encryptionRequest) { return payload }
        guard isInPlain, Self.isPlainControl(pdu, mic: 0) || Self.isPlainControl(pdu, mic: Self.micByteCount) else { return nil }
        return withoutMIC(payload, of: pdu)
      }
      if Self.frame(pdu, mic: 0) || Self.frame(pdu, mic: Self.micByteCount) {
        isInPlain = true
        learnMIC(pdu)
      }
      return isInPlain ? withoutMIC(payload, of: pdu) : nil
    }
  }

  /// Takes a control PDU that could be read.
  mutating func advance(_ opcode: LLControlOpcode) {
    switch opcode {
    case .encryptionRequest: phase = .requested
    case .encryptionResponse: if phase == .requested { phase = .answered }
    case .startEncryptionRequest: if phase != .on { (phase, isInPlain) = (.on, false) }
    case .pauseEncryptionResponse: (phase, isInPlain) = (.off, false)
    case .rejectIndication, .rejectExtendedIndication: if phase != .on { phase = .off }
    default: break
    }
  }

  /// Whether data after LL_ENC_REQ are in plain: what waits may still be sent until LL_ENC_RSP; after it only a whole frame of LE
  /// whose lengths fit proves that nobody encrypts – by chance one packet in 2^30 looks so.
  private func isPlainData(_ pdu: borrowing DataPDUView) -> Bool {
    if Self.frame(pdu, mic: 0) { return true }
    guard phase == .requested else { return false }
    guard pdu.header.llid == .start, let header = L2CAPHeader(parsing: pdu.payload) else { return pdu.header.llid == .continuing }
    return [.attribute, .leSignalling, .securityManager].contains(header.channel)
      && L2CAPHeader.byteCount + header.length >= Int(pdu.header.length)
  }

  private static func frame(_ pdu: borrowing DataPDUView, mic: Int) -> Bool {
    guard pdu.header.llid == .start, !pdu.isTruncated, pdu.payload.byteCount > mic else { return false }
    let data = pdu.payload.extracting(0..<pdu.payload.byteCount - mic)
    return LowEnergyFrame(L2CAPFragment(isStart: true, data: data, missing: 0))?.isWhole ?? false
  }

  private mutating func learnMIC(_ pdu: borrowing DataPDUView) {
    guard !pdu.isTruncated else { return }
    if pdu.header.llid == .control {
      if Self.isPlainControl(pdu, mic: 0) { hasMIC = false } else if Self.isPlainControl(pdu, mic: Self.micByteCount) { hasMIC = true }
    } else if pdu.header.llid == .start, let header = L2CAPHeader(parsing: pdu.payload) {
      let excess = Int(pdu.header.length) - L2CAPHeader.byteCount - header.length
      if excess == 0 { hasMIC = false } else if excess == Self.micByteCount { hasMIC = true }
    }
  }

  @_lifetime(copy payload)
  private mutating func withoutMIC(_ payload: RawSpan, of pdu: borrowing DataPDUView) -> RawSpan {
    // Where the capture did not keep all, what is gone is the check first.
    guard hasMIC else { return payload }
    removed = Self.micByteCount
    return payload.extracting(0..<min(payload.byteCount, max(0, Int(pdu.header.length) - Self.micByteCount)))
  }

  /// Whether a control PDU has its opcode's length, and `mic` bytes more.
  private static func isPlainControl(_ pdu: borrowing DataPDUView, mic: Int) -> Bool {
    guard let opcode = pdu.controlOpcode, let length = controlLengths[opcode.rawValue] else { return false }
    return length + mic == Int(pdu.header.length)
  }

  /// Lengths of the control PDUs of versions 4.0 to 5.0, opcode included (Core 5.4, Vol 6, Part B, 2.4.2).
  private static let controlLengths: [UInt8: Int] = [
    0x00: 12, 0x01: 8, 0x02: 2, 0x03: 23, 0x04: 13, 0x05: 1, 0x06: 1, 0x07: 2, 0x08: 9, 0x09: 9, 0x0A: 1, 0x0B: 1, 0x0C: 6, 0x0D: 2,
    0x0E: 9, 0x0F: 24, 0x10: 24, 0x11: 3, 0x12: 1, 0x13: 1, 0x14: 9, 0x15: 9, 0x16: 3, 0x17: 3, 0x18: 5,
  ]
}
