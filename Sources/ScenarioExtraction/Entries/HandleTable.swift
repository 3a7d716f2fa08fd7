import BLEWire

/// A value for each attribute handle, found without hashing; it is as long as the largest handle that was used.
struct HandleTable<Value> {
  private var values: [Value?] = []

  init() {}

  init(_ dictionary: [AttributeHandle: Value]) { for (handle, value) in dictionary { self[handle] = value } }

  subscript(handle: AttributeHandle) -> Value? {
    get { Int(handle.rawValue) < values.count ? values[Int(handle.rawValue)] : nil }
    // In place, so that what grows in it is not copied each time.
    _modify {
      let place = Int(handle.rawValue)
      if place >= values.count { values.append(contentsOf: repeatElement(nil, count: place + 1 - values.count)) }
      yield &values[place]
    }
  }

  subscript(handle: AttributeHandle, default usual: @autoclosure () -> Value) -> Value {
    get { self[handle] ?? usual() }
    set { self[handle] = newValue }
    _modify {
      let place = Int(handle.rawValue)
      if place >= values.count { values.append(contentsOf: repeatElement(nil, count: place + 1 - values.count)) }
      var value = values[place] ?? usual()
      values[place] = nil
      defer { values[place] = value }
      yield &value
    }
  }
}
