import ByteParsing

/// The bytes of a compressed stream, inflated while they are read.
///
/// gzip: `{ 1F 8B 08 flags(1) time(4) extra(1) system(1) … deflate CRC-32(4) size(4) }+` (RFC 1952), members one after another;
/// zlib: `CMF(1) FLG(1) deflate Adler-32(4)` (RFC 1950); raw: deflate alone (RFC 1951). It holds one chunk of input, one of output and
/// zlib's window of 32 KiB, whatever the stream claims.
final class InflatingSource: DamageTelling {
  /// What stands around the deflated bytes.
  enum Wrapping: Int32 {
    case gzip = 31
    case zlib = 15
    case raw = -15
  }

  /// How much is read and made at a time.
  static let chunk = 1 << 16

  private(set) var damage: String?
  /// Bytes of the source that belong to what was inflated so far; after the end, the length of the stream.
  private(set) var consumedByteCount = 0

  private var source: any ByteSource
  private let wrapping: Wrapping
  private let inflater: Inflater
  private var input: [UInt8] = []
  private var position = 0
  private var inputHasEnded = false
  private var hasEnded = false
  private var output: [UInt8] = []

  /// Inflates what `source` hands out.
  init(_ source: any ByteSource, _ wrapping: Wrapping) {
    (self.source, self.wrapping) = (source, wrapping)
    inflater = Inflater(windowBits: wrapping.rawValue)
  }

  func read(_ count: Int, into buffer: inout [UInt8]) throws(CaptureError) -> Int {
    guard count > 0 else { return 0 }
    while !hasEnded {
      if position == input.count { try refill() }
      // A small request gets a small buffer; it never holds more than was asked for, so nothing is kept back.
      let room = min(count, Self.chunk)
      if output.count != room { output = [UInt8](repeating: 0, count: room) }
      let start = position
      let (made, outcome) = inflater.step(input, from: &position, into: &output)
      consumedByteCount += position - start
      switch outcome {
      case .wantsMore:
        if made == 0, position == input.count, inputHasEnded { end("is cut at byte \(consumedByteCount)") }
      case .ended: try goOnBehindTheEnd()
      case .damaged(let reason): end("is damaged at byte \(consumedByteCount) (\(reason))")
      }
      if made > 0 {
        buffer += output[0..<made]
        return made
      }
    }
    return 0
  }

  private func end(_ problem: String?) {
    hasEnded = true
    // What is wrong below explains what is wrong here.
    damage = source.toldDamage ?? problem.map { "the compressed data \($0)" }
  }

  /// Adds a chunk of input behind what was not used yet.
  private func refill() throws(CaptureError) {
    guard !inputHasEnded else { return }
    input.removeFirst(position)
    position = 0
    if try source.read(Self.chunk, into: &input) == 0 { inputHasEnded = true }
  }

  /// gzip allows members in a row; `cat a.gz b.gz` makes them, and so do log writers that flush.
  private func goOnBehindTheEnd() throws(CaptureError) {
    guard wrapping == .gzip else { return end(nil) }
    while input.count - position < 2, !inputHasEnded { try refill() }
    guard position < input.count else { return end(nil) }
    if input.count - position >= 2, input[position] == 0x1F, input[position + 1] == 0x8B {
      inflater.reset()
    } else {
      // Tapes pad with zeros; anything else is told, as gzip itself does, without losing what came before.
      end(input[position] == 0 ? nil : "ends at byte \(consumedByteCount); what follows is no gzip and was left out")
    }
  }
}
