import CaptureFiles

/// Joins the fragments of L2CAP PDUs of one direction of one link.
///
/// A PDU that lies whole in one packet is handed on without a copy. Memory is bounded by the length of one L2CAP PDU.
/// Source: Core 5.4, Vol 3, Part A, 7.2.1.
struct Reassembler {
  enum Problem { case continuationWithoutStart(Int), incomplete(have: Int, of: Int), shortHeader(Int), tooLong(Int) }

  private var buffer: [UInt8] = []
  /// Bytes that the PDU has in all, header included; 0 while none is open.
  private var expected = 0
  /// Bytes that have gone by, kept or not.
  private var seen = 0
  /// Whether a fragment of the open PDU was cut, so that what follows has no place.
  private var isCut = false

  /// Takes one packet; `body` gets each completed PDU (channel, payload, bytes that were not kept), `problem` what does not fit.
  mutating func add(
    _ packet: ACLDataView, missing: Int, _ body: (L2CAPChannel, RawSpan, _ missing: Int) -> Void, problem: (Problem) -> Void
  ) {
    let there = packet.data.byteCount
    if packet.boundary != .continuing {
      if expected > 0 { close(body, problem) }
      guard let header = L2CAPHeader(parsing: packet.data) else {
        // A start of one to three bytes is legal: the header itself is fragmented.
        if there > 0 && missing == 0 {
          buffer.removeAll(keepingCapacity: true)
          buffer.append(contentsOf: packet.data)
          (expected, seen, isCut) = (-1, there, false)
        } else {
          problem(.shortHeader(there))
        }
        return
      }
      let total = L2CAPHeader.byteCount + header.length
      if there == total {
        body(header.channel, packet.data.suffix(from: L2CAPHeader.byteCount), 0)
        return
      }
      if there + missing > total {
        problem(.tooLong(there + missing - total))
        body(header.channel, packet.data.extracting(L2CAPHeader.byteCount..<min(there, total)), max(0, total - there))
        return
      }
      if there + missing == total {
        body(header.channel, packet.data.suffix(from: L2CAPHeader.byteCount), missing)
        return
      }
      buffer.removeAll(keepingCapacity: true)
      buffer.append(contentsOf: packet.data)
      (expected, seen, isCut) = (total, there + missing, missing > 0)
      return
    }
    guard expected != 0 else {
      problem(.continuationWithoutStart(there))
      return
    }
    if !isCut { buffer.append(contentsOf: packet.data) }
    seen += there + missing
    isCut = isCut || missing > 0
    if expected < 0, let header = L2CAPHeader(parsing: buffer.byteSpan) { expected = L2CAPHeader.byteCount + header.length }
    guard expected > 0, seen >= expected else { return }
    if seen > expected { problem(.tooLong(seen - expected)) }
    deliver(body)
  }

  /// Ends the link: what is open is handed on as far as it goes.
  mutating func finish(_ body: (L2CAPChannel, RawSpan, _ missing: Int) -> Void, problem: (Problem) -> Void) {
    if expected != 0 { close(body, problem) }
  }

  private mutating func close(_ body: (L2CAPChannel, RawSpan, _ missing: Int) -> Void, _ problem: (Problem) -> Void) {
    problem(expected > 0 ? .incomplete(have: seen, of: expected) : .shortHeader(seen))
    if buffer.count > L2CAPHeader.byteCount, expected > 0 { deliver(body) } else { expected = 0 }
  }

  private mutating func deliver(_ body: (L2CAPChannel, RawSpan, _ missing: Int) -> Void) {
    let total = expected
    expected = 0
    guard let header = L2CAPHeader(parsing: buffer.byteSpan) else { return }
    let end = min(buffer.count, total)
    body(header.channel, buffer.byteSpan.extracting(L2CAPHeader.byteCount..<end), total - end)
  }
}
