import CaptureFiles

/// Joins the fragments of L2CAP PDUs of one direction of one link.
///
/// A PDU that lies whole in one packet stays there. Memory is bounded by the length of one L2CAP PDU and one packet.
/// Source: Core 5.4, Vol 3, Part A, 7.2.1.
struct Reassembler {
  /// What a packet leads to.
  enum Step {
    /// More fragments are to come.
    case waiting
    /// A PDU lies in the packet itself: its payload is the data from the fifth byte up to `end`. `excess` bytes follow it.
    case whole(L2CAPChannel, end: Int, missing: Int, excess: Int)
    /// A PDU was joined; ``takePayload()`` has it. `excess` bytes followed it.
    case joined(L2CAPChannel, missing: Int, excess: Int)
    /// A continuation of so many bytes whose start was not seen, or was complete.
    case orphan(Int)
    /// So many bytes are left of the start of a PDU, fewer than a header.
    case shortHeader(Int)
    /// The PDU ended before all its bytes came; there is a payload to take where there is a channel.
    case incomplete(have: Int, of: Int, L2CAPChannel?)
  }

  private var buffer: [UInt8] = []
  /// Which records the buffer's bytes come from.
  private(set) var pieces: [L2CAPPiece] = []
  /// Bytes that the PDU has in all, header included; 0 while none is open, -1 while its header is not complete.
  private var expected = 0
  /// Bytes that have gone by, kept or not.
  private var seen = 0
  /// Whether a fragment of the open PDU was cut, so that what follows has no place.
  private var isCut = false

  /// Whether a PDU waits for more fragments.
  var isOpen: Bool { expected != 0 }

  /// Takes one packet's part. A start is only taken when no PDU is open: ``close()`` it before.
  mutating func add(_ fragment: borrowing L2CAPFragment, frame: Int) -> Step {
    fragment.isStart
      ? begin(fragment.data, missing: fragment.missing, frame) : resume(fragment.data, missing: fragment.missing, frame)
  }

  private mutating func begin(_ data: RawSpan, missing: Int, _ frame: Int) -> Step {
    let there = data.byteCount
    guard let header = L2CAPHeader(parsing: data) else {
      // A start of one to three bytes is legal: the header itself is fragmented.
      guard there > 0, missing == 0 else { return .shortHeader(there) }
      keep(data, expected: -1, missing: 0, frame)
      return .waiting
    }
    let total = L2CAPHeader.byteCount + header.length
    let length = there + missing
    guard length < total else {
      let end = min(there, total)
      return .whole(header.channel, end: end, missing: total - end, excess: length - total)
    }
    keep(data, expected: total, missing: missing, frame)
    return .waiting
  }

  private mutating func keep(_ data: RawSpan, expected total: Int, missing: Int, _ frame: Int) {
    pieces.removeAll(keepingCapacity: true)
    pieces.append(L2CAPPiece(frame: frame, byteCount: data.byteCount))
    buffer.removeAll(keepingCapacity: true)
    buffer.append(contentsOf: data)
    (expected, seen, isCut) = (total, data.byteCount + missing, missing > 0)
  }

  private mutating func resume(_ data: RawSpan, missing: Int, _ frame: Int) -> Step {
    guard isOpen else { return .orphan(data.byteCount) }
    if !isCut {
      buffer.append(contentsOf: data)
      pieces.append(L2CAPPiece(frame: frame, byteCount: data.byteCount))
    }
    seen += data.byteCount + missing
    isCut = isCut || missing > 0
    if expected < 0, let header = L2CAPHeader(parsing: buffer.byteSpan) { expected = L2CAPHeader.byteCount + header.length }
    guard expected > 0, seen >= expected, let header = L2CAPHeader(parsing: buffer.byteSpan) else { return .waiting }
    let (total, excess) = (expected, seen - expected)
    expected = 0
    if buffer.count > total { buffer.removeLast(buffer.count - total) }
    return .joined(header.channel, missing: total - buffer.count, excess: excess)
  }

  /// Gives up the open PDU, because another starts or the link ends.
  mutating func close() -> Step {
    let (total, have) = (expected, seen)
    expected = 0
    guard total > 0 else { return .shortHeader(have) }
    let header = buffer.count > L2CAPHeader.byteCount ? L2CAPHeader(parsing: buffer.byteSpan) : nil
    return .incomplete(have: have, of: total, header?.channel)
  }

  /// The bytes of the PDU that was joined last, header included; hand them back with ``reuse(_:)``.
  mutating func takePayload() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &buffer)
    return taken
  }

  /// Takes the storage of ``takePayload()`` back, so that the next PDU needs none of its own.
  mutating func reuse(_ storage: consuming [UInt8]) { buffer = storage }
}
