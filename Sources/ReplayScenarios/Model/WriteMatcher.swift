/// Which values a central may write in place of the recorded one and still do the same.
public enum WriteMatcher: Sendable, Hashable {
  /// The recorded value.
  case exact
  /// A value as long as the recorded one that has its bits wherever the mask has ones.
  case mask([UInt8])
  /// A value that begins with as many bytes of the recorded one.
  case prefix(Int)
  /// A value as long as the recorded one.
  case length
  /// Any value.
  case any
  /// The recorded value but for a number of 1…8 bytes in it that the app counts on, modulo its size, from write to write.
  case counter(at: Int, bytes: Int, bigEndian: Bool)

  /// Whether `value` counts as `recorded`. `before` is what the recording and the app had in the last write to the attribute that
  /// has the same counter; `nil` at the first, where a counter may begin anywhere.
  public func accepts(_ value: [UInt8], for recorded: [UInt8], before: (recorded: [UInt8], written: [UInt8])? = nil) -> Bool {
    switch self {
    case .exact: return value == recorded
    case .mask(let mask):
      return value.count == recorded.count && mask.count == value.count
        && value.indices.allSatisfy { (value[$0] ^ recorded[$0]) & mask[$0] == 0 }
    case .prefix(let count): return count >= 0 && count <= recorded.count && value.starts(with: recorded.prefix(count))
    case .length: return value.count == recorded.count
    case .any: return true
    case .counter(let start, let bytes, _):
      guard let count = self.number(in: value), let expected = self.number(in: recorded), value.count == recorded.count,
        value.indices.allSatisfy({ ($0 >= start && $0 < start + bytes) || value[$0] == recorded[$0] })
      else { return false }
      guard let before, let last = self.number(in: before.written), let recordedLast = self.number(in: before.recorded) else { return true }
      let size: UInt64 = bytes == 8 ? .max : (1 << UInt64(8 * bytes)) - 1
      return (count &- last) & size == (expected &- recordedLast) & size
    }
  }

  /// The counter in a value; `nil` where the value does not hold it, or there is none.
  private func number(in value: [UInt8]) -> UInt64? {
    guard case .counter(let start, let bytes, let isBigEndian) = self, (1...8).contains(bytes), start >= 0, start <= value.count - bytes
    else { return nil }
    let digits = value[start..<(start + bytes)]
    return isBigEndian ? digits.reduce(0) { $0 << 8 | UInt64($1) } : digits.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
