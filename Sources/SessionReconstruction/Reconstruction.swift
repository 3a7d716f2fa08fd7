public import CaptureFiles

/// All that one capture file tells.
public struct Reconstruction {
  public let file: String
  public let datalink: BtsnoopDatalink
  public let records: Int
  /// The time of the first record; `nil` where there is none.
  public let start: CaptureTime?
  public let links: [Link]
  public let failedConnections: [FailedConnection]
  public let strayDisconnections: [StrayDisconnection]
  public let advertisers: [BluetoothAddress: Advertiser]
  /// Findings of the container and of what is in it.
  public let findings: [Finding]

  /// Reads the whole file at `path`; `observer` gets every ATT PDU on the way.
  public init(path: String, observer: (any ATTObserver)? = nil) throws { try self.init(try CaptureReader(path: path), observer: observer) }

  /// Reads bytes in memory.
  public init(bytes: [UInt8], file: String, observer: (any ATTObserver)? = nil) throws {
    try self.init(try CaptureReader(bytes: bytes, file: file), observer: observer)
  }

  private init(_ capture: CaptureReader, observer: (any ATTObserver)?) throws {
    var reader = capture
    let reconstructor = SessionReconstructor(observer: observer)
    try reader.forEachRecord { reconstructor.add($0) }
    reconstructor.finish()
    var log = reader.findings
    log.merge(reconstructor.findings)
    file = reader.file
    datalink = reader.datalink
    records = reader.recordCount
    start = reader.start
    links = reconstructor.links
    failedConnections = reconstructor.failedConnections
    strayDisconnections = reconstructor.strayDisconnections
    advertisers = reconstructor.advertisers
    findings = log.findings
  }
}
