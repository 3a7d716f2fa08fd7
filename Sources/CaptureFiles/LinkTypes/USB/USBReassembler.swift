import ByteParsing

/// Joins the transfers of one endpoint into HCI packets.
///
/// Linux asks an interrupt endpoint for no more than its packet size, so that a long event comes in several transfers, all
/// but the last of one length. Memory is bounded by the length of one packet and one transfer.
struct USBReassembler {
  /// What a transfer leads to.
  enum Step {
    /// More transfers are to come.
    case waiting
    /// The packet lies in the transfer itself, up to `end`.
    case whole(end: Int, originalLength: Int)
    /// The packet was joined; ``takePacket()`` has it.
    case joined(originalLength: Int)
  }

  let shape: USBPacketShape
  /// Packets that were given up because a transfer of theirs is missing.
  private(set) var dropped = 0
  private var buffer: [UInt8] = []
  /// The length of the transfers that the open packet came in; 0 while none is open.
  private var partLength = 0
  /// Bytes of the open packet that have gone by, kept or not.
  private var seen = 0
  /// Whether a part was cut, so that what follows has no place.
  private var isCut = false

  init(_ shape: USBPacketShape) { self.shape = shape }

  /// Takes the data of one transfer, which had `originalLength` bytes, at least one.
  mutating func add(_ data: RawSpan, originalLength: Int) -> Step {
    if partLength > 0 {
      if continues(data, originalLength) { return resume(data, originalLength) }
      giveUp()
    }
    return begin(data, originalLength)
  }

  /// Whether a transfer fits behind the parts of the open packet: it brings the rest, or as much as they did of a longer rest.
  private func continues(_ data: RawSpan, _ originalLength: Int) -> Bool {
    guard let total = shape.packetLength(buffer.byteSpan) else {
      return originalLength == partLength || shape.packetLength(data) != originalLength
    }
    return originalLength == total - seen || originalLength == partLength && originalLength < total - seen
  }

  private mutating func giveUp() {
    dropped += 1
    partLength = 0
  }

  private mutating func begin(_ data: RawSpan, _ originalLength: Int) -> Step {
    let isCut = data.byteCount < originalLength
    guard let total = shape.packetLength(data) else {
      // With a header that the capture did not keep, the transfer has to stand for the packet.
      if isCut { return .whole(end: data.byteCount, originalLength: originalLength) }
      keep(data, originalLength)
      return .waiting
    }
    guard originalLength < total else { return .whole(end: min(data.byteCount, total), originalLength: total) }
    keep(data, originalLength)
    return .waiting
  }

  private mutating func keep(_ data: RawSpan, _ originalLength: Int) {
    buffer.removeAll(keepingCapacity: true)
    buffer.append(contentsOf: data)
    (partLength, seen, isCut) = (originalLength, originalLength, data.byteCount < originalLength)
  }

  private mutating func resume(_ data: RawSpan, _ originalLength: Int) -> Step {
    if !isCut { buffer.append(contentsOf: data) }
    isCut = isCut || data.byteCount < originalLength
    seen += originalLength
    guard let total = shape.packetLength(buffer.byteSpan) else {
      if isCut { giveUp() }
      return .waiting
    }
    guard seen >= total else { return .waiting }
    partLength = 0
    if buffer.count > total { buffer.removeLast(buffer.count - total) }
    return .joined(originalLength: total)
  }

  /// The bytes of the packet that was joined last; hand them back with ``reuse(_:)``.
  mutating func takePacket() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &buffer)
    return taken
  }

  /// Takes the storage of ``takePacket()`` back, so that the next packet needs none of its own.
  mutating func reuse(_ storage: consuming [UInt8]) { buffer = storage }
}
