/// A value for each attribute handle, found without hashing where handles are small, as nearly all are.
@frozen
public struct HandleTable<Value> {
  /// As long as the largest small handle that was used: a link of few PDUs must not cost what all handles there are would take.
  @usableFromInline package var small: [Value?] = []
  @usableFromInline package var large: [AttributeHandle: Value] = [:]
  @usableFromInline package let limit: Int

  /// Handles from `limit` on are hashed; a low one keeps many tables small.
  @inlinable public init(limit: Int = 1024) { self.limit = limit }

  @inlinable public init(_ dictionary: [AttributeHandle: Value], limit: Int = 1024) {
    self.limit = limit
    for (handle, value) in dictionary { self[handle] = value }
  }

  @inlinable public subscript(handle: AttributeHandle) -> Value? {
    get {
      let place = Int(handle.rawValue)
      return place < small.count ? small[place] : place < limit ? nil : large[handle]
    }
    // In place, so that what grows in it is not copied each time.
    _modify {
      let place = Int(handle.rawValue)
      if place < limit {
        grow(to: place)
        yield &small[place]
      } else {
        yield &large[handle]
      }
    }
  }

  @inlinable public subscript(handle: AttributeHandle, default usual: @autoclosure () -> Value) -> Value {
    get { self[handle] ?? usual() }
    _modify {
      let place = Int(handle.rawValue)
      if place < limit {
        grow(to: place)
        var value = small[place] ?? usual()
        small[place] = nil
        defer { small[place] = value }
        yield &value
      } else {
        yield &large[handle, default: usual()]
      }
    }
  }

  /// All values with their handles, in no order that means anything.
  public var all: [(handle: AttributeHandle, value: Value)] {
    small.enumerated().compactMap { place, value in value.map { (AttributeHandle(UInt16(truncatingIfNeeded: place)), $0) } }
      + large.map { ($0, $1) }
  }

  /// Whether there is none.
  @inlinable public var isEmpty: Bool { large.isEmpty && small.allSatisfy { $0 == nil } }

  @inlinable mutating func grow(to place: Int) {
    if place >= small.count { small.append(contentsOf: repeatElement(nil, count: place + 1 - small.count)) }
  }
}

extension HandleTable: Sendable where Value: Sendable {}
