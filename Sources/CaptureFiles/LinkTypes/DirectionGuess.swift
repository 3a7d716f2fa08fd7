import ByteParsing

/// Tells which way a data packet went where the container does not: pcap's link type 187.
///
/// A host begins a PDU with packet boundary flag 0 and a controller with 2 (Core 5.4, Vol 4, Part E, 5.4.2), but hosts are known that
/// use 2, too. While no flag 0 was seen, what is in the PDU decides, where only one end can send it. A continuation belongs to the PDU
/// that is not complete.
struct DirectionGuess {
  private struct Connection {
    /// Whether the host is the central.
    var hostIsCentral = true
    /// Bytes that are missing of the PDU that each end has begun.
    var missing: (host: Int, controller: Int) = (0, 0)
    /// Who began a PDU last.
    var lastIsHost = false

    /// Whether a continuation of so many bytes is the host's: the end that waits for just so many, else the one that has room, else
    /// the one that began last.
    func continuationIsHost(_ length: Int) -> Bool {
      if (missing.host == length) != (missing.controller == length) { return missing.host == length }
      if (missing.host >= length) != (missing.controller >= length) { return missing.host >= length }
      return lastIsHost
    }
  }
  /// Connections that a hostile capture opens are not counted by anybody else.
  private static let limit = 4096
  private var connections: [UInt32: Connection] = [:]
  /// Adapters whose host uses flag 0, so that 2 is the controller's.
  private var plainHosts: Set<UInt16> = []

  mutating func direction(of kind: CaptureRecord.Kind, _ packet: RawSpan, adapter: UInt16) -> CaptureRecord.Direction {
    switch kind {
    case .command: return .hostToController
    case .event:
      watch(packet, adapter: adapter)
      return .controllerToHost
    case .aclData: return data(packet, adapter: adapter)
    default: return .hostToController
    }
  }

  /// Learns roles from events, whose direction needs no guess.
  mutating func watch(_ event: RawSpan, adapter: UInt16) {
    guard event.byteCount > 7, event.uint8(at: 0) == 0x3E, case .leConnectionComplete(let complete) = try? HCIEventView(parsing: event),
      complete.status == .success, connections.count < Self.limit
    else { return }
    connections[Self.key(complete.handle.rawValue, adapter)] = Connection(hostIsCentral: complete.role == 0)
  }

  private static func key(_ handle: UInt16, _ adapter: UInt16) -> UInt32 { UInt32(adapter) << 16 | UInt32(handle) }

  private mutating func data(_ packet: RawSpan, adapter: UInt16) -> CaptureRecord.Direction {
    guard let acl = try? ACLDataView(parsing: packet) else { return .hostToController }
    let key = Self.key(acl.handle.rawValue, adapter)
    var connection = connections[key] ?? Connection()
    let isHost: Bool
    if acl.boundary == .continuing {
      isHost = connection.continuationIsHost(acl.length)
    } else {
      let header = L2CAPHeader(parsing: acl.data)
      if acl.boundary == .startNonFlushable {
        plainHosts.insert(adapter)
        isHost = true
      } else if plainHosts.contains(adapter) {
        isHost = false
      } else {
        isHost = Self.senderIsCentral(header, acl.data).map { $0 == connection.hostIsCentral } ?? false
      }
      connection.lastIsHost = isHost
      let total = header.map { L2CAPHeader.byteCount + $0.length } ?? Int.max
      if isHost { connection.missing.host = total } else { connection.missing.controller = total }
    }
    if isHost {
      connection.missing.host = max(0, connection.missing.host - acl.length)
    } else {
      connection.missing.controller = max(0, connection.missing.controller - acl.length)
    }
    if connections[key] != nil || connections.count < Self.limit { connections[key] = connection }
    return isHost ? .hostToController : .controllerToHost
  }

  /// Who sends such a PDU; the central is taken for the GATT client, which it is nearly always. `nil` where both may.
  private static func senderIsCentral(_ header: L2CAPHeader?, _ data: RawSpan) -> Bool? {
    guard let header, data.byteCount > L2CAPHeader.byteCount else { return nil }
    let code = data.uint8(at: L2CAPHeader.byteCount)
    switch header.channel {
    case .attribute:
      switch ATTOpcode(rawValue: code).role {
      case .request, .command, .confirmation: return true
      case .response, .notification, .indication: return false
      }
    case .leSignalling: return code == 0x12 ? false : code == 0x13 ? true : nil
    case .securityManager: return code == 0x01 ? true : code == 0x02 || code == 0x0B ? false : nil
    default: return nil
    }
  }
}
