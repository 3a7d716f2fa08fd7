import CaptureFiles

/// A reader that fuzzing hands bytes to, with all that comes behind it.
public enum FuzzTarget: String, CaseIterable, Sendable {
  case btsnoop, packetlogger, pcap, pcapng
  /// Records of pcapng whose link type the first byte chooses; see ``Framing``.
  case linktypes, usb
  /// A snooz; where the first byte is no version of one, what stands inside its compression.
  case snooz
  case zip, gzip
  /// A tar, as it is and with the checksums of its headers made right.
  case tar
  /// HCI packets of a few connections; see ``SessionScript``.
  case session
  /// The text of a scenario.
  case scenario

  /// The longest input that fuzzing makes; more only makes it slow.
  public var maximumByteCount: Int {
    switch self {
    case .zip, .gzip, .tar: 8192
    case .session: 2048
    default: 4096
    }
  }

  /// Reads `bytes`; tells which promises were not kept.
  public func brokenPromises(_ bytes: [UInt8]) -> [String] {
    var promises = Promises()
    switch self {
    case .btsnoop, .packetlogger, .pcap, .pcapng, .zip, .gzip: promises.hold(forCapture: bytes)
    case .linktypes: promises.hold(forCapture: Framing.capture(bytes, types: LinkType.allCases), options: Framing.options)
    case .usb: promises.hold(forCapture: Framing.capture(bytes, types: [.usbmon, .usbmonMapped, .usbPcap]), options: Framing.options)
    case .snooz:
      promises.hold(forCapture: bytes)
      if let capture = Framing.snooz(bytes) { promises.hold(forCapture: capture) }
    case .tar:
      promises.hold(forCapture: bytes)
      promises.hold(forCapture: Framing.withRightChecksums(bytes))
    case .session:
      let capture = SessionScript.capture(bytes)
      promises.hold(forCapture: capture)
      promises.hold(forExtractionFrom: capture)
    case .scenario: promises.hold(forScenario: bytes)
    }
    return promises.broken
  }

  /// Whether `bytes` begin as this target's readers want it; others are not worth keeping in a corpus.
  public func wants(_ bytes: [UInt8]) -> Bool {
    switch self {
    case .btsnoop: bytes.starts(with: Array("btsnoop".utf8))
    case .pcapng: bytes.starts(with: [0x0A, 0x0D, 0x0D, 0x0A])
    case .pcap: bytes.contains(0xA1) && !bytes.starts(with: [0x0A, 0x0D])
    case .packetlogger: !bytes.starts(with: Array("btsnoop".utf8)) && !bytes.starts(with: [0x0A, 0x0D, 0x0D, 0x0A])
    case .zip: bytes.starts(with: Array("PK".utf8))
    case .gzip: bytes.starts(with: [0x1F, 0x8B, 8])
    case .linktypes, .usb, .snooz, .tar, .session, .scenario: true
    }
  }
}
