import CaptureFiles

/// Joins the K-frames of one direction of a credit-based channel to SDUs.
///
/// The first frame of an SDU begins with its length. Memory is bounded by the longest SDU, 65,535 bytes.
/// Source: Core 5.4, Vol 3, Part A, 3.4.3.
struct SDUAssembler {
  /// What a frame leads to.
  enum Step {
    case waiting
    /// An SDU lies in the frame itself, from its third byte on.
    case whole(missing: Int)
    /// An SDU was joined; ``takeSDU()`` has it.
    case joined(missing: Int)
    /// The frame has no length, or carries this many bytes more than its SDU.
    case malformed
    case excess(Int)
  }

  private var buffer: [UInt8] = []
  /// Bytes of the SDU that is open, and those of them that have gone by; 0 where none is open.
  private var expected = 0
  private var seen = 0
  private var isCut = false
  /// Which records the buffer's bytes come from.
  private(set) var pieces: [L2CAPPiece] = []

  /// Whether an SDU waits for more frames, and what it lacks.
  var open: (have: Int, of: Int)? { expected == 0 ? nil : (seen, expected) }

  /// Takes the payload of one frame, of which `missing` bytes at its end were not kept; it came with a record, or was joined of `pieces`.
  mutating func add(_ payload: RawSpan, missing: Int, record: Int, joined pieces: [L2CAPPiece]) -> Step {
    guard expected == 0 else { return resume(payload, missing: missing, record, pieces) }
    guard payload.byteCount >= 2 else { return .malformed }
    let length = Int(payload.uint16(at: 0))
    let there = payload.byteCount - 2
    guard there + missing <= length else { return .excess(there + missing - length) }
    if there + missing == length { return .whole(missing: missing) }
    buffer.removeAll(keepingCapacity: true)
    buffer.append(contentsOf: payload.suffix(from: 2))
    (expected, seen, isCut) = (length, there + missing, missing > 0)
    self.pieces.removeAll(keepingCapacity: true)
    note(there, behind: L2CAPHeader.byteCount + 2, record, pieces)
    return .waiting
  }

  /// Notes where the last `count` bytes of a frame stand, which begin so many bytes into it.
  private mutating func note(_ count: Int, behind start: Int, _ record: Int, _ joined: [L2CAPPiece]) {
    guard !joined.isEmpty else { return pieces.append(L2CAPPiece(frame: record, offset: start, byteCount: count)) }
    var skipped = start
    for piece in joined {
      let left = max(0, piece.byteCount - skipped)
      if left > 0 { pieces.append(L2CAPPiece(frame: piece.frame, offset: piece.offset + piece.byteCount - left, byteCount: left)) }
      skipped -= piece.byteCount - left
    }
  }

  private mutating func resume(_ payload: RawSpan, missing: Int, _ record: Int, _ joined: [L2CAPPiece]) -> Step {
    seen += payload.byteCount + missing
    guard seen <= expected else {
      let excess = seen - expected
      (expected, buffer) = (0, [])
      return .excess(excess)
    }
    // What follows a gap has no place.
    if !isCut {
      buffer.append(contentsOf: payload)
      note(payload.byteCount, behind: L2CAPHeader.byteCount, record, joined)
    }
    isCut = isCut || missing > 0
    guard seen == expected else { return .waiting }
    expected = 0
    return .joined(missing: seen - buffer.count)
  }

  /// The SDU that was joined last; hand it back with ``reuse(_:)``.
  mutating func takeSDU() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &buffer)
    return taken
  }

  /// Takes the storage of ``takeSDU()`` back.
  mutating func reuse(_ storage: consuming [UInt8]) { buffer = storage }
}
