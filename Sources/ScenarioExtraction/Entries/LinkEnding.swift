import SessionReconstruction

/// How a link ended, and whether a device ended it because it had been silent.
struct LinkEnding {
  /// From the last PDU to an end by the peripheral, in nanoseconds; `nil` for other ends.
  private let silence: Int64?
  /// The longest time without a PDU that did not end the link.
  private let longestPause: Int64

  init(_ link: Link, _ recording: LinkRecording?) {
    var (pause, last) = (Int64(0), Int64(0))
    for pdu in recording?.pdus ?? [] {
      pause = max(pause, pdu.time - last)
      last = pdu.time
    }
    let end = Self.time(of: link, recording)
    if let end, let reason = link.endReason, Self.ender(of: link, reason) == .peripheral {
      silence = end - last
    } else {
      silence = nil
      if let end { pause = max(pause, end - last) }
    }
    longestPause = pause
  }

  /// For each link of a device, whether it ended it for silence: at least two ended after one time, which no link was silent for and went on.
  static func areForSilence(_ endings: [LinkEnding]) -> [Bool] {
    let none = endings.map { _ in false }
    let silences = endings.compactMap(\.silence)
    // Any device may end a link right after the last that it did.
    guard silences.count >= 2, let least = silences.min(), let most = silences.max(), least >= 1_000_000_000,
      most - least <= max(100_000_000, least / 50), endings.allSatisfy({ $0.longestPause < least })
    else { return none }
    return endings.map { $0.silence != nil }
  }

  /// When a link ended, in nanoseconds since its start, behind all that went over it; `nil` where the capture ends first.
  static func time(of link: Link, _ recording: LinkRecording?) -> Int64? {
    link.end.map { max($0.nanoseconds(since: link.start), (recording?.lastTime ?? -1) + 1) }
  }

  /// The end that closed a link; `nil` where it was lost. What neither asked for counts as the peripheral's.
  static func ender(of link: Link, _ reason: HCIErrorCode) -> LinkRole? {
    if let air = link.air { return air.endedBy }
    return switch reason {
    case .connectionTimeout: nil
    // A host is told 0x16 for what it ended itself.
    case .connectionTerminatedByLocalHost: link.peerRole.other
    // These a host gives for a reason when it ends a link, and the other end is told (Core 5.4, Vol 4, Part E, 7.1.6).
    case .remoteUserTerminatedConnection, .remoteDeviceLowResources, .remoteDevicePowerOff, .authenticationFailure,
      .unsupportedRemoteFeature, .pairingWithUnitKeyNotSupported, .unacceptableConnectionParameters:
      link.peerRole
    default: .peripheral
    }
  }
}
