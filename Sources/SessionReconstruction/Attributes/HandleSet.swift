public import CaptureFiles

/// A set of attribute handles, small where the handles are.
public struct HandleSet: Sendable, Equatable {
  private var words: [UInt64] = []

  /// An empty set.
  public init() {}

  /// Whether a handle is in it.
  public func contains(_ handle: AttributeHandle) -> Bool {
    let word = Int(handle.rawValue >> 6)
    return word < words.count && words[word] >> UInt64(handle.rawValue & 63) & 1 == 1
  }

  /// Adds a handle.
  public mutating func insert(_ handle: AttributeHandle) {
    let (word, bit) = (Int(handle.rawValue >> 6), UInt64(1) << UInt64(handle.rawValue & 63))
    if word < words.count {
      words[word] |= bit
    } else {
      words.append(contentsOf: repeatElement(0, count: word + 1 - words.count))
      words[word] = bit
    }
  }

  /// Adds the handles of another set.
  public mutating func formUnion(_ other: HandleSet) {
    if other.words.count > words.count { words.append(contentsOf: repeatElement(0, count: other.words.count - words.count)) }
    for (place, word) in other.words.enumerated() { words[place] |= word }
  }

  /// The handles in order.
  public var handles: [AttributeHandle] {
    words.indices.flatMap { word in
      (0..<64).filter { words[word] >> UInt64($0) & 1 == 1 }.map { AttributeHandle(UInt16(word << 6 | $0)) }
    }
  }
}
