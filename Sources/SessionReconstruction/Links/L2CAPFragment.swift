import CaptureFiles

/// A piece of an L2CAP PDU as one packet carries it, over HCI or on the air.
struct L2CAPFragment: ~Escapable {
  /// Whether a PDU begins with it.
  let isStart: Bool
  let data: RawSpan
  /// Bytes of the packet that the capture did not keep.
  let missing: Int

  @_lifetime(copy data)
  init(isStart: Bool, data: RawSpan, missing: Int) { (self.isStart, self.data, self.missing) = (isStart, data, missing) }

  @_lifetime(copy packet)
  init(_ packet: borrowing ACLDataView) {
    self.init(isStart: packet.boundary != .continuing, data: packet.data, missing: packet.length - packet.data.byteCount)
  }
}
