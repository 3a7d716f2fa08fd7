/// A range of a source that can only be read in order.
final class SkippingSource: DamageTelling {
  private(set) var damage: String?
  private var source: any ByteSource
  private var toSkip: Int
  private var rest: Int
  private let byteCount: Int
  private let name: String

  /// The `count` bytes behind the first `start` ones; `name` is for messages.
  init(_ source: any ByteSource, _ start: Int, _ count: Int, name: String) {
    (self.source, toSkip, rest, byteCount, self.name) = (source, max(0, start), max(0, count), max(0, count), name)
  }

  func read(_ count: Int, into buffer: inout [UInt8]) throws(CaptureError) -> Int {
    if toSkip > 0, var range = source as? RangeSource {
      range.skip(toSkip)
      (source, toSkip) = (range, 0)
    }
    var scratch: [UInt8] = []
    while toSkip > 0, damage == nil {
      scratch.removeAll(keepingCapacity: true)
      let got = try source.read(min(toSkip, InflatingSource.chunk), into: &scratch)
      toSkip -= got
      if got == 0 { end() }
    }
    guard rest > 0, count > 0, damage == nil else { return 0 }
    let got = try source.read(min(count, rest), into: &buffer)
    rest -= got
    if got == 0 { end() }
    return got
  }

  private func end() {
    damage = "'\(name)' ends at byte \(byteCount - rest) of \(byteCount)" + (source.toldDamage.map { ": \($0)" } ?? "")
  }
}
