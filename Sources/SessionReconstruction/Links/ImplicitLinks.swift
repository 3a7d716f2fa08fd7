import CaptureFiles

/// Finds connections that were up before the capture began.
///
/// Fragments of a connection that nothing opened are held back until two whole L2CAP frames on the channels of LE have come that are well
/// formed and agree on who is the GATT client; from then on it is a link. Data that only looks like ACL – vendors' debug
/// handles, BR/EDR – never comes so far.
struct ImplicitLinks {
  /// A fragment that was held back.
  struct Held {
    let isStart: Bool
    let bytes: [UInt8]
    let missing: Int
    let sent: Bool
    let context: LinkState.Context
  }
  private struct Candidate {
    var held: [Held] = []
    var heldBytes = 0
    /// Well-formed frames that only the client or only the server sends, by whether the host is then the central.
    var centralVotes = 0
    var peripheralVotes = 0
    var wholeFrames = 0
    var packets = 0
    var firstFrame: Int
  }
  private struct Key: Hashable {
    let adapter: UInt16
    let connection: LinkConnection
  }
  /// Qualcomm's debug log comes as ACL data on this handle.
  static let vendorHandle: UInt16 = 0x0EDC
  private static let maximumHeld = (packets: 64, bytes: 1 << 14)
  private static let maximumCandidates = 256
  private var candidates: [Key: Candidate] = [:]
  /// Packets on handles beyond those that are looked at, and the first of them.
  private var beyond = (packets: 0, firstFrame: 0)

  /// Takes a fragment of a connection without a link; where it proves one, tells the host's role – `central` where a sniffer told or
  /// found out who sends – and hands over all that was held back.
  mutating func add(
    _ fragment: borrowing L2CAPFragment, sent: Bool, adapter: UInt16, _ connection: LinkConnection, _ context: LinkState.Context,
    log: inout FindingLog
  ) -> (role: LinkRole, held: [Held])? {
    let key = Key(adapter: adapter, connection: connection)
    if candidates[key] == nil {
      guard candidates.count < Self.maximumCandidates else {
        if beyond.packets == 0 { beyond.firstFrame = context.frame }
        beyond.packets += 1
        return nil
      }
      candidates[key] = Candidate(firstFrame: context.frame)
    }
    guard var candidate = candidates.removeValue(forKey: key) else { return nil }
    candidate.packets += 1
    let frame = LowEnergyFrame(fragment)
    if frame != nil || !candidate.held.isEmpty {
      if candidate.held.count >= Self.maximumHeld.packets || candidate.heldBytes + fragment.data.byteCount > Self.maximumHeld.bytes {
        (candidate.held, candidate.heldBytes, candidate.wholeFrames) = ([], 0, 0)
        (candidate.centralVotes, candidate.peripheralVotes) = (0, 0)
      }
      candidate.held.append(
        Held(isStart: fragment.isStart, bytes: fragment.data.array, missing: fragment.missing, sent: sent, context: context))
      candidate.heldBytes += fragment.data.byteCount
    }
    if let frame, frame.isWhole {
      candidate.wholeFrames += 1
      if let fromCentral = frame.isFromCentral {
        if fromCentral == sent { candidate.centralVotes += 1 } else { candidate.peripheralVotes += 1 }
      }
      let votes = candidate.centralVotes + candidate.peripheralVotes
      if candidate.wholeFrames >= 2, votes > 0, candidate.centralVotes != candidate.peripheralVotes {
        let passedOver = candidate.packets - candidate.held.count
        if passedOver > 0 {
          log.add(
            .noConnection, .note, frame: candidate.firstFrame,
            "\(Self.counted(passedOver, connection)) \(passedOver == 1 ? "is" : "are") "
              + "not followed: only what came after proves the connection LE's")
        }
        return (candidate.centralVotes > candidate.peripheralVotes ? .central : .peripheral, candidate.held)
      }
    }
    candidates[key] = candidate
    return nil
  }

  /// A connection on this handle begins, ends or the capture does: what was held back belongs to none.
  mutating func close(_ adapter: UInt16, _ connection: LinkConnection, log: inout FindingLog) {
    guard !candidates.isEmpty, let candidate = candidates.removeValue(forKey: Key(adapter: adapter, connection: connection)) else { return }
    Self.note(candidate, connection, &log)
  }

  /// The capture ends, or a controller was reset.
  mutating func closeAll(adapter: UInt16? = nil, log: inout FindingLog) {
    // Before those of single handles, of which only the first are kept.
    if adapter == nil, beyond.packets > 0 {
      log.add(
        .noConnection, .warning, frame: beyond.firstFrame,
        "\(beyond.packets) ACL packet\(beyond.packets == 1 ? "" : "s") from here on left out: more handles without a connection "
          + "than the \(Self.maximumCandidates) that are looked at together")
    }
    let chosen = candidates.filter { adapter == nil || $0.key.adapter == adapter }
    for (key, candidate) in chosen.sorted(by: { $0.value.firstFrame < $1.value.firstFrame }) {
      candidates[key] = nil
      Self.note(candidate, key.connection, &log)
    }
  }

  private static func note(_ candidate: Candidate, _ connection: LinkConnection, _ log: inout FindingLog) {
    log.add(
      .noConnection, .note, frame: candidate.firstFrame,
      "\(counted(candidate.packets, connection)), whose connection the capture does not show, and which are not LE's")
  }

  private static func counted(_ count: Int, _ connection: LinkConnection) -> String {
    let s = count == 1 ? "" : "s"
    return switch connection {
    case .handle(let handle): "\(count) ACL packet\(s) from here on handle \(handle)"
    case .air(let address): "\(count) data packet\(s) from here on access address \(address)"
    }
  }
}

/// The start of an L2CAP frame that LE links carry: its channel is a fixed one of LE, and its code and length go together.
struct LowEnergyFrame {
  /// Whether the frame lies whole in its packet.
  let isWhole: Bool
  /// Whether only a central sends it, the central being taken for the GATT client; `nil` where both ends do.
  let isFromCentral: Bool?

  init?(_ fragment: borrowing L2CAPFragment) {
    guard fragment.isStart, fragment.missing == 0, let header = L2CAPHeader(parsing: fragment.data),
      fragment.data.byteCount > L2CAPHeader.byteCount
    else { return nil }
    let there = fragment.data.byteCount - L2CAPHeader.byteCount
    guard there <= header.length else { return nil }
    isWhole = there == header.length
    let code = fragment.data.uint8(at: L2CAPHeader.byteCount)
    let payload = fragment.data.suffix(from: L2CAPHeader.byteCount)
    switch header.channel {
    case .attribute:
      let opcode = ATTOpcode(rawValue: code)
      guard opcode.name != nil else { return nil }
      if isWhole, (try? ATTPDUView(parsing: payload)) == nil { return nil }
      switch opcode.role {
      case .request, .command, .confirmation: isFromCentral = true
      case .response, .notification, .indication: isFromCentral = false
      }
    case .leSignalling:
      guard Self.isSignal(code), payload.byteCount >= 4, Int(payload.uint16(at: 2)) == header.length - 4 else { return nil }
      isFromCentral = code == 0x12 ? false : code == 0x13 ? true : nil
    case .securityManager:
      guard Self.securityLengths[code] == header.length else { return nil }
      isFromCentral = code == 0x01 ? true : code == 0x02 || code == 0x0B ? false : nil
    default: return nil
    }
  }

  /// Core 5.4, Vol 3, Part A, 4: the codes that LE knows.
  private static func isSignal(_ code: UInt8) -> Bool { code == 0x01 || (0x06...0x07).contains(code) || (0x12...0x1A).contains(code) }

  /// Lengths of the SMP commands (Core 5.4, Vol 3, Part H, 3.5 and 3.6), code included.
  private static let securityLengths: [UInt8: Int] = [
    0x01: 7, 0x02: 7, 0x03: 17, 0x04: 17, 0x05: 2, 0x06: 17, 0x07: 11, 0x08: 17, 0x09: 8, 0x0A: 17, 0x0B: 2, 0x0C: 65, 0x0D: 17, 0x0E: 2,
  ]
}
