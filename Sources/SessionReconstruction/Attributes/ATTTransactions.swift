import CaptureFiles

/// The transactions of one ATT bearer, by the end that began them.
struct ATTBearer {
  struct Side {
    var requests = ATTTransactions()
    /// The indication that waits for its confirmation.
    var indication: (number: Int, attribute: AttributeHandle?)?
  }
  var central = Side()
  var peripheral = Side()

  /// Requests that wait for an answer.
  var waiting: Int { central.requests.count + peripheral.requests.count }
}

/// Pairs the requests of one client with the answers of the other end.
///
/// A client has one request under way (Core 5.4, Vol 3, Part F, 3.3.2); one that sends more is noted, and its answers are still paired.
struct ATTTransactions {
  struct Request {
    var number: Int
    var opcode: ATTOpcode
    var attribute: AttributeHandle?
    /// The type that a discovery asks for.
    var type: BluetoothUUID?
    /// The service that Find By Type Value looks for.
    var wanted: BluetoothUUID?
    var mtu: UInt16 = 0
  }

  /// How many requests are kept that wait; more are given up, the oldest first.
  static let limit = 8
  private var waiting: [Request] = []

  /// Requests that wait for an answer.
  var count: Int { waiting.count }

  mutating func begin(_ request: Request) {
    if waiting.count == Self.limit { waiting.removeFirst() }
    waiting.append(request)
  }

  /// Takes the request that a response belongs to; `failed` is the opcode that an Error Response names.
  mutating func end(_ response: ATTOpcode, failed: ATTOpcode?) -> Request? {
    guard
      let index = waiting.firstIndex(where: { request in
        if let failed { request.opcode == failed } else { request.opcode.expectedResponse == response }
      })
    else { return nil }
    defer { waiting.removeSubrange(0...index) }
    return waiting[index]
  }
}
