import BLEWire

/// A value for each attribute handle, found without hashing where handles are small, as nearly all are.
struct HandleTable<Value> {
  /// As long as the largest small handle that was used: a link of few PDUs must not cost what all handles there are would take.
  private var small: [Value?] = []
  private var large: [AttributeHandle: Value] = [:]

  private static var limit: Int { 1024 }

  init() {}

  init(_ dictionary: [AttributeHandle: Value]) { for (handle, value) in dictionary { self[handle] = value } }

  subscript(handle: AttributeHandle) -> Value? {
    get {
      let place = Int(handle.rawValue)
      return place < small.count ? small[place] : place < Self.limit ? nil : large[handle]
    }
    // In place, so that what grows in it is not copied each time.
    _modify {
      let place = Int(handle.rawValue)
      if place < Self.limit {
        grow(to: place)
        yield &small[place]
      } else {
        yield &large[handle]
      }
    }
  }

  subscript(handle: AttributeHandle, default usual: @autoclosure () -> Value) -> Value {
    get { self[handle] ?? usual() }
    _modify {
      let place = Int(handle.rawValue)
      if place < Self.limit {
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

  private mutating func grow(to place: Int) {
    if place >= small.count { small.append(contentsOf: repeatElement(nil, count: place + 1 - small.count)) }
  }
}
