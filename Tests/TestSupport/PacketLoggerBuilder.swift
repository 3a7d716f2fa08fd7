import CaptureFiles

/// Writes PacketLogger records in one of the three layouts that systems use.
public struct PacketLoggerBuilder {
  public enum Layout: Sendable, CaseIterable { case bigEndian, littleEndian, littleEndian64 }

  public let layout: Layout
  public private(set) var bytes: [UInt8] = []
  /// Where each record begins, and where the last one ends.
  public private(set) var bounds = [0]

  public init(_ layout: Layout) { self.layout = layout }

  private mutating func word(_ value: UInt32) {
    let little = (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    bytes += layout == .bigEndian ? little.reversed() : little
  }

  /// Any record.
  public mutating func record(_ packet: [UInt8], type: UInt8, time: CaptureTime) {
    word(UInt32(packet.count + 9))
    let words = (UInt32(truncatingIfNeeded: time.seconds), UInt32(time.nanoseconds / 1000))
    word(layout == .littleEndian64 ? words.1 : words.0)
    word(layout == .littleEndian64 ? words.0 : words.1)
    bytes.append(type)
    bytes += packet
    bounds.append(bytes.count)
  }

  /// All records of another capture.
  public mutating func copy(_ reader: inout CaptureReader) throws {
    try reader.forEachRecord { record in
      let received = record.direction == .controllerToHost
      let type: UInt8 =
        switch record.kind {
        case .command: 0
        case .event: 1
        case .aclData: received ? 3 : 2
        case .synchronousData: received ? 9 : 8
        default: 0xFC
        }
      self.record(record.bytes.array, type: type, time: record.time)
    }
  }
}
