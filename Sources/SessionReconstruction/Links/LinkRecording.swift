import CaptureFiles

/// The ATT PDUs of one link, and what its ends did besides, kept together: the PDUs' bytes lie in one array, so that a long capture
/// costs little more than its traffic.
public struct LinkRecording: Sendable {
  /// One PDU; its numbers are kept small, since a long capture has millions.
  public struct PDU: Sendable {
    // The larger ones come first, so that no room is lost between them.
    /// Nanoseconds since the link's start, repaired so that each PDU is later than the one before.
    public let time: Int64
    fileprivate let start: Int
    private let frameNumber: UInt32
    private let answersIndex: Int32
    fileprivate var answerIndex: Int32 = -1
    private let attributeHandle: UInt16
    private let missingBytes: UInt16
    private let bearerNumber: UInt16
    fileprivate let length: UInt16
    public let sender: LinkRole
    /// The PDU's first octet.
    public let opcode: ATTOpcode
    private let namesAttribute: Bool
    public let isMalformed: Bool

    fileprivate init(_ event: ATTEvent, time: Int64, opcode: ATTOpcode, start: Int, length: Int, answers: Int?) {
      frameNumber = UInt32(clamping: event.frame)
      (self.time, sender) = (time, event.sender)
      answersIndex = Int32(clamping: answers ?? -1)
      attributeHandle = event.attribute?.rawValue ?? 0
      namesAttribute = event.attribute != nil
      missingBytes = UInt16(clamping: event.missing)
      bearerNumber = UInt16(clamping: event.bearer)
      isMalformed = event.fault != nil
      (self.opcode, self.start, self.length) = (opcode, start, UInt16(clamping: length))
    }

    /// The record that completed it.
    public var frame: Int { Int(frameNumber) }
    /// Index of the request that it answers.
    public var answers: Int? { answersIndex < 0 ? nil : Int(answersIndex) }
    /// Index of its answer.
    public var answer: Int? { answerIndex < 0 ? nil : Int(answerIndex) }
    public var attribute: AttributeHandle? { namesAttribute ? AttributeHandle(attributeHandle) : nil }
    /// Bytes that the capture did not keep.
    public var missing: Int { Int(missingBytes) }
    /// The channel that carried it; `nil` for the fixed one.
    public var bearer: Int? { bearerNumber == 0 ? nil : Int(bearerNumber) }
  }

  public package(set) var pdus: [PDU] = []
  /// What the ends did besides, in the order of its beginning.
  public private(set) var events: [LinkEvent] = []
  private var storage: [UInt8] = []
  private let start: CaptureTime

  /// No connection lasts longer than a hundred years; a time further on is a damaged one.
  private static let latest: Int64 = 3_155_760_000_000_000_000

  init(start: CaptureTime) { self.start = start }

  /// The bytes of a PDU that were kept.
  public func bytes(_ index: Int) -> [UInt8] {
    let pdu = pdus[index]
    return Array(storage[pdu.start..<(pdu.start + Int(pdu.length))])
  }

  /// How many there are.
  package func length(_ index: Int) -> Int { Int(pdus[index].length) }

  /// The bytes of a PDU, borrowed.
  @_lifetime(borrow self)
  package func span(_ index: Int) -> RawSpan {
    let start = pdus[index].start
    return storage.byteSpan.extracting(start..<(start + Int(pdus[index].length)))
  }

  /// Takes something else that the ends did, or what became of it.
  mutating func add(_ event: LinkEvent) {
    if event.number <= events.count { events[event.number - 1] = event } else { events.append(event) }
  }

  /// Whether nothing went by.
  var isEmpty: Bool { pdus.isEmpty && events.isEmpty }

  /// Whether there is anything to make a scenario of: attribute traffic, an app's data, or a pairing.
  package var isTelling: Bool {
    if !pdus.isEmpty { return true }
    return events.contains {
      switch $0.procedure {
      case .pair, .encrypt, .channelData: true
      default: false
      }
    }
  }

  /// When it began, since the link's start, at the place where it stands among the PDUs.
  package func time(of event: LinkEvent) -> Int64 {
    let (earliest, latest) = (
      event.position > 0 && event.position <= pdus.count ? pdus[event.position - 1].time : 0,
      event.position < pdus.count ? pdus[event.position].time : Self.latest
    )
    return max(earliest, min(event.time.nanoseconds(since: start), latest))
  }

  /// When the last PDU went by, or the last event began; `nil` where there is neither.
  package var lastTime: Int64? { [pdus.last?.time, events.last.map { time(of: $0) }].compactMap { $0 }.max() }

  mutating func add(_ event: ATTEvent, _ bytes: RawSpan) {
    // Clocks of phones step back; two PDUs of a link are never told apart by less than a nanosecond, so that their order is kept.
    let earliest = (pdus.last?.time ?? -1).addingReportingOverflow(1)
    let time =
      earliest.overflow
      ? Int64.max : max(earliest.partialValue, min(max(event.time.nanoseconds(since: start), earliest.partialValue), Self.latest))
    let from = storage.count
    storage.makeRoom(for: bytes.byteCount)
    storage.append(contentsOf: bytes)
    let request = event.answers.map { $0 - 1 }
    if let request, pdus.indices.contains(request), pdus[request].answerIndex < 0 {
      pdus[request].answerIndex = Int32(clamping: pdus.count)
    }
    pdus.makeRoom(for: 1)
    pdus.append(
      PDU(
        event, time: time, opcode: ATTOpcode(rawValue: bytes.byteCount > 0 ? bytes.uint8(at: 0) : 0), start: from, length: bytes.byteCount,
        answers: request))
  }
}

extension Array {
  /// Grows fourfold where there is no room for so many more: long recordings are copied less often, and room that nothing touches
  /// costs no memory.
  fileprivate mutating func makeRoom(for more: Int) {
    if count + more > capacity { reserveCapacity(Swift.max(count + more, 4 * capacity)) }
  }
}
