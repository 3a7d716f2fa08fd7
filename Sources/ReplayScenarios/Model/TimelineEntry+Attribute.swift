package import BLEWire

extension TimelineEntry {
  /// The attribute that an entry is about; `nil` where it names none.
  package var attribute: AttributeHandle? {
    switch action {
    case .read(let handle), .readBlob(let handle, _), .write(let handle, _), .writeCommand(let handle, _), .notify(let handle, _),
      .indicate(let handle, _):
      handle
    case .pdu(let bytes): (try? ATTPDU(parsing: bytes))?.attributeHandle
    case .exchangeMTU, .link, .disconnect, .vanish: nil
    }
  }
}
