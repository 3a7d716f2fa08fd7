public import SessionReconstruction

/// The ATT PDUs of one link, kept together: their bytes lie in one array, so that a long capture costs little more than its traffic.
public struct LinkRecording: Sendable {
  /// One PDU.
  public struct PDU: Sendable {
    public var frame: Int
    /// Nanoseconds since the link's start, repaired so that each PDU is later than the one before.
    public var time: Int64
    public var sender: LinkRole
    /// Index of the request that it answers.
    public var answers: Int?
    /// Index of its answer.
    public var answer: Int?
    public var attribute: AttributeHandle?
    /// Bytes that the capture did not keep.
    public var missing: Int
    public var isMalformed: Bool
    /// The PDU's first octet.
    public var opcode: ATTOpcode
    fileprivate var start: Int
    fileprivate var end: Int
  }

  public internal(set) var pdus: [PDU] = []
  private var storage: [UInt8] = []
  private let start: CaptureTime

  /// No connection lasts longer than a hundred years; a time further on is a damaged one.
  private static let latest: Int64 = 3_155_760_000_000_000_000

  init(start: CaptureTime) { self.start = start }

  /// The bytes of a PDU that were kept.
  public func bytes(_ index: Int) -> [UInt8] { Array(storage[pdus[index].start..<pdus[index].end]) }

  mutating func add(_ event: ATTEvent, _ bytes: RawSpan) {
    // Clocks of phones step back; two PDUs of a link are never told apart by less than a nanosecond, so that their order is kept.
    let earliest = (pdus.last?.time ?? -1).addingReportingOverflow(1)
    let time =
      earliest.overflow
      ? Int64.max : max(earliest.partialValue, min(max(event.time.nanoseconds(since: start), earliest.partialValue), Self.latest))
    let from = storage.count
    storage.append(contentsOf: bytes)
    let request = event.answers.map { $0 - 1 }
    if let request, pdus.indices.contains(request), pdus[request].answer == nil { pdus[request].answer = pdus.count }
    pdus.append(
      PDU(
        frame: event.frame, time: time, sender: event.sender, answers: request, answer: nil, attribute: event.attribute,
        missing: event.missing, isMalformed: event.fault != nil,
        opcode: ATTOpcode(rawValue: bytes.byteCount > 0 ? bytes.uint8(at: 0) : 0), start: from, end: storage.count))
  }
}

/// A capture with the ATT PDUs of all its links.
public struct CaptureRecording {
  public let reconstruction: Reconstruction
  /// By link number, from 1.
  public let links: [Int: LinkRecording]

  private final class Collector: ATTObserver {
    var links: [Int: LinkRecording] = [:]
    func observe(_ event: ATTEvent, pdu: RawSpan) { links[event.link, default: LinkRecording(start: event.linkStart)].add(event, pdu) }
  }

  /// Reads the file at `path`.
  public init(path: String, options: CaptureOptions = CaptureOptions()) throws {
    try self.init(try CaptureReader(path: path, options: options))
  }

  /// Reads what is left of an opened capture; `progress` is told now and then how many bytes have been read.
  public init(_ capture: CaptureReader, progress: ((Int) -> Void)? = nil) throws {
    let collector = Collector()
    reconstruction = try Reconstruction(capture, observer: collector, progress: progress)
    links = collector.links
  }

  /// Reads bytes in memory.
  public init(bytes: [UInt8], file: String) throws {
    try self.init(try CaptureReader(bytes: bytes, file: file))
  }
}
