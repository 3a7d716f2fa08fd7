public import CaptureFiles

/// All that one capture file tells.
public struct Reconstruction: Sendable {
  public let file: String
  public let format: CaptureFormat
  public let records: Int
  /// The time of the first record; `nil` where there is none.
  public let start: CaptureTime?
  public let links: [Link]
  public let failedConnections: [FailedConnection]
  public let strayDisconnections: [StrayDisconnection]
  public let advertisers: [BluetoothAddress: Advertiser]
  /// The traffic of each link that has any, by the link's number, where it was to be kept.
  public let recordings: [Int: LinkRecording]
  /// What a sniffer heard; nothing in a log of a host.
  public let air: AirTraffic
  /// Why there is nothing to work on; `nil` where there was a packet.
  public let emptiness: CaptureError?
  /// The identity resolving keys that it tells, or its reader was given, the most significant octet of each first.
  package let identityResolvingKeys: [[UInt8]]
  /// Findings of the container and of what is in it.
  public let findings: [Finding]
  /// How many there were of each code, kept or not.
  public let findingCounts: [Finding.Code: Int]

  /// Records between two reports of progress.
  private static let progressInterval = 1 << 14

  /// Reads the whole file at `path`; `observer` gets every ATT PDU on the way.
  public init(path: String, options: CaptureOptions = CaptureOptions(), observer: (any ATTObserver)? = nil) throws {
    try self.init(try CaptureReader(path: path, options: options), observer: observer)
  }

  /// Reads bytes in memory.
  public init(bytes: [UInt8], file: String, options: CaptureOptions = CaptureOptions(), observer: (any ATTObserver)? = nil) throws {
    try self.init(try CaptureReader(bytes: bytes, file: file, options: options), observer: observer)
  }

  /// Reads what is left of an opened capture; `keepsTraffic` has it keep every ATT PDU, `progress` is told now and then how many bytes have been read.
  public init(
    _ capture: CaptureReader, observer: (any ATTObserver)? = nil, keepsTraffic: Bool = false, progress: ((Int) -> Void)? = nil
  ) throws {
    var reader = capture
    var core = ReconstructionCore(
      identityResolvingKeys: reader.options.identityResolvingKeys, observer: observer, keepsTraffic: keepsTraffic)
    var countdown = Self.progressInterval
    try reader.forEachRecord { record in
      core.add(record)
      countdown -= 1
      if countdown == 0 {
        countdown = Self.progressInterval
        progress?(record.byteOffset)
      }
    }
    core.finish()
    var log = reader.findings
    log.merge(core.log)
    file = reader.file
    format = reader.format
    records = reader.recordCount
    start = reader.start
    recordings = Dictionary(
      uniqueKeysWithValues: core.states.compactMap { state in
        state.recording.flatMap { $0.isEmpty ? nil : (state.link.index, $0) }
      })
    links = core.states.map(\.link)
    failedConnections = core.failedConnections
    strayDisconnections = core.strayDisconnections
    advertisers = core.advertiserTable.advertisers
    air = core.air
    emptiness = reader.emptiness
    identityResolvingKeys = core.identities.keys
    findings = log.findings
    findingCounts = log.counts
  }
}
