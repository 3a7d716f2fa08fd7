import ByteParsing

/// Builds the bytes of a capture file, record by record.
public protocol CaptureWriter: Sendable {
  /// Appends a record with the time that its file had; tells what the format has no place for.
  mutating func append(_ record: borrowing CaptureRecord) -> CaptureLoss?

  /// Writes what still waits for a record behind it; call it after the last record.
  mutating func finish()

  /// The bytes since the last call, from the file header on.
  mutating func takeBytes() -> [UInt8]
}

extension CaptureWriter {
  public mutating func finish() {}
}

/// What gets lost where a record goes into another format.
public enum CaptureLoss: Sendable, Hashable, CaseIterable {
  /// The record itself: the format has no place for its kind.
  case record
  /// How long the packet was, of which the capture kept a part.
  case originalLength
  /// The time, which the format cannot express; the nearest that it can stands in its place.
  case time
  /// Which of several controllers it belongs to.
  case adapter

  /// What was lost, for people, in the plural.
  public var description: String {
    switch self {
    case .record: "records, for which it has no place"
    case .originalLength: "lengths of cut packets"
    case .time: "times, which it cannot express"
    case .adapter: "controller numbers, as it knows one controller only"
    }
  }
}

extension CaptureRecord.Kind {
  /// The indicator that goes before such a packet on H4; `nil` for what is no packet.
  var indicator: UInt8? {
    switch self {
    case .command: 1
    case .aclData: 2
    case .synchronousData: 3
    case .event: 4
    case .isochronousData: 5
    case .unknown(let number): (6...255).contains(number) ? UInt8(number) : nil
    case .adapter, .note, .linkLayer, .transport: nil
    }
  }
}

/// The formats that are written.
public enum CaptureOutputFormat: String, Sendable, Hashable, CaseIterable {
  case btsnoop, pcapng, pklg

  /// A writer for what comes from a capture of `source`'s format: monitor records stay monitor records.
  public func writer(for source: CaptureFormat) -> any CaptureWriter {
    let isMonitor =
      switch source {
      case .btsnoop(.monitor), .pcap(.monitor): true
      case .pcapng(let numbers): numbers.contains(LinkType.monitor.rawValue)
      default: false
      }
    return switch self {
    case .btsnoop: BtsnoopWriter(datalink: isMonitor ? .monitor : .hciUART)
    case .pcapng: PcapngWriter()
    case .pklg: PacketLoggerWriter()
    }
  }
}
