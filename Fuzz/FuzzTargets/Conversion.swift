import ByteParsing
import CaptureFiles

/// A capture on its way into another format, and what has to be found in it again.
struct Conversion {
  /// What is compared of an HCI packet.
  struct Packet {
    var kind: CaptureRecord.Kind
    var direction: CaptureRecord.Direction
    var bytes: [UInt8]
    var time: CaptureTime
    var adapter: UInt16
    /// Whether the writer told no loss.
    var isWhole = true

    /// `nil` for what is no HCI packet.
    init?(_ record: borrowing CaptureRecord) {
      switch record.kind {
      case .command, .event, .aclData, .synchronousData, .isochronousData: break
      default: return nil
      }
      (kind, direction, bytes) = (record.kind, record.direction, record.bytes.array)
      (time, adapter) = (record.recordedTime, record.adapter)
    }
  }

  let format: CaptureOutputFormat
  private(set) var expected: [Packet] = []
  private(set) var bytes: [UInt8] = []
  private var writer: any CaptureWriter

  init(_ format: CaptureOutputFormat, of source: CaptureFormat) { (self.format, writer) = (format, format.writer(for: source)) }

  mutating func append(_ record: borrowing CaptureRecord) {
    let loss = writer.append(record)
    bytes += writer.takeBytes()
    guard loss != .record, var packet = Packet(record) else { return }
    packet.isWhole = loss == nil
    expected.append(packet)
  }

  /// Whether a time is as near as the format can have it: whole microseconds but for pcapng.
  func isSame(_ read: CaptureTime, _ written: CaptureTime) -> Bool {
    if format == .pcapng { return read == written }
    return read.seconds == written.seconds && read.nanoseconds / 1000 == written.nanoseconds / 1000
  }
}
