/// The opcode of a BlueZ monitor record: the low half of the flags of a btsnoop record with datalink 2001.
struct MonitorOpcode: RawRepresentable {
  let rawValue: UInt16

  var kind: CaptureRecord.Kind {
    switch rawValue {
    case 2: .command
    case 3: .event
    case 4, 5: .aclData
    case 6, 7: .synchronousData
    case 18, 19: .isochronousData
    case 0, 1, 8, 9, 10: .adapter
    case 11...17: .note
    default: .unknown(UInt32(rawValue))
    }
  }

  var direction: CaptureRecord.Direction {
    switch rawValue {
    case 3, 5, 7, 19: .controllerToHost
    default: .hostToController
    }
  }
}

extension MonitorOpcode {
  /// The opcode of a packet; `nil` for what is none.
  init?(_ kind: CaptureRecord.Kind, _ direction: CaptureRecord.Direction) {
    let received = direction == .controllerToHost
    switch kind {
    case .command: self.init(rawValue: 2)
    case .event: self.init(rawValue: 3)
    case .aclData: self.init(rawValue: received ? 5 : 4)
    case .synchronousData: self.init(rawValue: received ? 7 : 6)
    case .isochronousData: self.init(rawValue: received ? 19 : 18)
    default: return nil
    }
  }

  /// The opcode of a record; text from other containers becomes a system note (12).
  init?(_ record: borrowing CaptureRecord) {
    if let opcode = Self(record.kind, record.direction) {
      self = opcode
      return
    }
    switch record.kind {
    case .adapter: self.init(rawValue: UInt16(truncatingIfNeeded: record.typeNumber))
    case .note: self.init(rawValue: record.typeNumber <= 17 && record.typeNumber >= 11 ? UInt16(record.typeNumber) : 12)
    default: return nil
    }
  }
}
