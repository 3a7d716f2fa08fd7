package import BLEWire

extension TimelineEntry {
  /// The attribute that the entry is about; `nil` for what concerns none, or several.
  package var attribute: AttributeHandle? { action.attribute }
}

extension TimelineEntry.Action {
  /// The same of what an entry does; by itself, for to look at a whole entry is to copy it.
  package var attribute: AttributeHandle? {
    switch self {
    case .read(let handle), .readBlob(let handle, _), .write(let handle, _), .writeCommand(let handle, _), .notify(let handle, _),
      .indicate(let handle, _):
      handle
    case .pdu(let bytes): (try? ATTPDU(parsing: bytes))?.attributeHandle
    case .exchangeMTU, .link, .disconnect, .vanish: nil
    }
  }
}
