/// The first octet of an ATT PDU; opcodes the specification does not have survive.
///
/// Layout: method (bits 0…5), command flag (bit 6), authentication signature flag (bit 7).
/// Source: Core 5.4, Vol 3, Part F, 3.3.1 and 3.4.8.
public struct ATTOpcode: RawRepresentable, Sendable, Hashable {
  public let rawValue: UInt8
  /// Wraps an octet.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let errorResponse = ATTOpcode(rawValue: 0x01)
  public static let exchangeMTURequest = ATTOpcode(rawValue: 0x02)
  public static let exchangeMTUResponse = ATTOpcode(rawValue: 0x03)
  public static let findInformationRequest = ATTOpcode(rawValue: 0x04)
  public static let findInformationResponse = ATTOpcode(rawValue: 0x05)
  public static let findByTypeValueRequest = ATTOpcode(rawValue: 0x06)
  public static let findByTypeValueResponse = ATTOpcode(rawValue: 0x07)
  public static let readByTypeRequest = ATTOpcode(rawValue: 0x08)
  public static let readByTypeResponse = ATTOpcode(rawValue: 0x09)
  public static let readRequest = ATTOpcode(rawValue: 0x0A)
  public static let readResponse = ATTOpcode(rawValue: 0x0B)
  public static let readBlobRequest = ATTOpcode(rawValue: 0x0C)
  public static let readBlobResponse = ATTOpcode(rawValue: 0x0D)
  public static let readMultipleRequest = ATTOpcode(rawValue: 0x0E)
  public static let readMultipleResponse = ATTOpcode(rawValue: 0x0F)
  public static let readByGroupTypeRequest = ATTOpcode(rawValue: 0x10)
  public static let readByGroupTypeResponse = ATTOpcode(rawValue: 0x11)
  public static let writeRequest = ATTOpcode(rawValue: 0x12)
  public static let writeResponse = ATTOpcode(rawValue: 0x13)
  public static let prepareWriteRequest = ATTOpcode(rawValue: 0x16)
  public static let prepareWriteResponse = ATTOpcode(rawValue: 0x17)
  public static let executeWriteRequest = ATTOpcode(rawValue: 0x18)
  public static let executeWriteResponse = ATTOpcode(rawValue: 0x19)
  public static let handleValueNotification = ATTOpcode(rawValue: 0x1B)
  public static let handleValueIndication = ATTOpcode(rawValue: 0x1D)
  public static let handleValueConfirmation = ATTOpcode(rawValue: 0x1E)
  public static let readMultipleVariableRequest = ATTOpcode(rawValue: 0x20)
  public static let readMultipleVariableResponse = ATTOpcode(rawValue: 0x21)
  public static let multipleHandleValueNotification = ATTOpcode(rawValue: 0x23)
  public static let writeCommand = ATTOpcode(rawValue: 0x52)
  public static let signedWriteCommand = ATTOpcode(rawValue: 0xD2)

  /// What a PDU does in its exchange, which settles who may send it and what follows.
  public enum Role: Sendable, Hashable { case request, response, command, notification, indication, confirmation }

  /// The PDU's part; an opcode without a name is a command where its command flag is set, else a request (3.3.1).
  @inlinable public var role: Role {
    switch rawValue {
    case 0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x17, 0x19, 0x21: .response
    case 0x1B, 0x23: .notification
    case 0x1D: .indication
    case 0x1E: .confirmation
    default: rawValue & 0x40 != 0 ? .command : .request
    }
  }

  /// The response that a request asks for; `nil` for what is no known request.
  @inlinable public var expectedResponse: ATTOpcode? {
    switch rawValue {
    case 0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x20: ATTOpcode(rawValue: rawValue &+ 1)
    default: nil
    }
  }

  /// Whether only a GATT client sends it; `nil` for an opcode without a name.
  @inlinable public var isSentByClient: Bool? {
    guard name != nil else { return nil }
    switch role {
    case .request, .command, .confirmation: return true
    case .response, .notification, .indication: return false
    }
  }

  /// The specification's name; `nil` for an opcode it does not have.
  public var name: String? {
    switch rawValue {
    case 0x01: "Error Response"
    case 0x02: "Exchange MTU Request"
    case 0x03: "Exchange MTU Response"
    case 0x04: "Find Information Request"
    case 0x05: "Find Information Response"
    case 0x06: "Find By Type Value Request"
    case 0x07: "Find By Type Value Response"
    case 0x08: "Read By Type Request"
    case 0x09: "Read By Type Response"
    case 0x0A: "Read Request"
    case 0x0B: "Read Response"
    case 0x0C: "Read Blob Request"
    case 0x0D: "Read Blob Response"
    case 0x0E: "Read Multiple Request"
    case 0x0F: "Read Multiple Response"
    case 0x10: "Read By Group Type Request"
    case 0x11: "Read By Group Type Response"
    case 0x12: "Write Request"
    case 0x13: "Write Response"
    case 0x16: "Prepare Write Request"
    case 0x17: "Prepare Write Response"
    case 0x18: "Execute Write Request"
    case 0x19: "Execute Write Response"
    case 0x1B: "Handle Value Notification"
    case 0x1D: "Handle Value Indication"
    case 0x1E: "Handle Value Confirmation"
    case 0x20: "Read Multiple Variable Request"
    case 0x21: "Read Multiple Variable Response"
    case 0x23: "Multiple Handle Value Notification"
    case 0x52: "Write Command"
    case 0xD2: "Signed Write Command"
    default: nil
    }
  }
}

extension ATTOpcode: CustomStringConvertible {
  /// The name, or `ATT 0x7f` where there is none.
  public var description: String { name ?? "ATT \(hexadecimal(rawValue))" }
}
