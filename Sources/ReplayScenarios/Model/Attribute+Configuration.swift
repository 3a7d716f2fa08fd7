package import BLEWire

extension [Attribute] {
  /// The handle of the value that each Client Characteristic Configuration belongs to, by the descriptor's handle.
  ///
  /// A descriptor belongs to the characteristic before it in its service; where none is known, to the handle right before it.
  package var configurations: [AttributeHandle: AttributeHandle] {
    var result: [AttributeHandle: AttributeHandle] = [:]
    var value: AttributeHandle?
    for attribute in sorted(by: { $0.handle < $1.handle }) {
      switch attribute.kind {
      case .service: value = nil
      case .characteristic(_, _, let handle): value = handle
      case .descriptor(let uuid) where uuid.short == 0x2902:
        if let owner = value ?? (attribute.handle.rawValue > 1 ? AttributeHandle(attribute.handle.rawValue - 1) : nil) {
          result[attribute.handle] = owner
        }
      default: break
      }
    }
    return result
  }
}
