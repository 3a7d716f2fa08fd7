import SessionReconstruction

/// A timeline entry in short: what it does and where its PDUs stand, so that a long capture costs a few bytes an entry.
struct EntryOutline {
  /// What the entry does; ``pdu`` is any PDU that has no name of its own in the file.
  enum Action: UInt8 {
    case exchangeMTU, read, readBlob, write, writeCommand, notify, indicate, pdu

    /// The action that a well-formed PDU is.
    init(_ opcode: ATTOpcode) {
      switch opcode {
      case .exchangeMTURequest: self = .exchangeMTU
      case .readRequest: self = .read
      case .readBlobRequest: self = .readBlob
      case .writeRequest: self = .write
      case .writeCommand: self = .writeCommand
      case .handleValueNotification: self = .notify
      case .handleValueIndication: self = .indicate
      default: self = .pdu
      }
    }
  }

  var action: Action
  var isFromCentral: Bool
  /// Whether an answer is expected: a request or an indication.
  var asks: Bool
  /// Its first PDU.
  var first: Int32
  /// The PDU that completed it, which is its first where it asks for nothing; -1 where it got no answer.
  var completion: Int32
  /// Its place among the long reads and writes; -1 for all others.
  var long: Int32 = -1

  /// The PDU that completed it.
  var completed: Int? { completion < 0 ? nil : Int(completion) }
  /// Whether the central writes with it, and whether the peripheral tells a value.
  var isWrite: Bool { isFromCentral && (action == .write || action == .writeCommand) }
  var isTold: Bool { !isFromCentral && (action == .notify || action == .indicate) }
}
