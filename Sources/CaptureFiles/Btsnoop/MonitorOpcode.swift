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
