import BLEWire
import GATTStack
import TestSupport

/// Runs a client against a list of PDUs: "> hex" is what it has to send, "< hex" what the server sends, "= text" what it has to tell.
struct Script {
  var client = GATTClient()
  private var waiting: [String] = []

  /// Starts a procedure.
  mutating func start(_ procedure: GATTClient.Procedure, id: Int = 1) { take(client.start(procedure, id: id)) }

  private mutating func take(_ outputs: [GATTClient.Output]) { waiting += outputs.map(Self.text) }

  /// Ends the link.
  mutating func disconnect() { take(client.disconnect()) }

  /// Plays the lines and gives back what differs from them, nothing where all is as told.
  mutating func play(_ lines: String...) -> [String] {
    var differences: [String] = []
    for line in lines {
      if line.hasPrefix("<") {
        if !waiting.isEmpty { differences.append("before \(line): \(waiting)") }
        waiting = []
        take(client.receive(hex(String(line.dropFirst(2)))))
      } else {
        let wanted = line.hasPrefix(">") ? "> " + Hexadecimal.encode(hex(String(line.dropFirst(2)))) : line
        let got = waiting.isEmpty ? "nothing" : waiting.removeFirst()
        if got != wanted { differences.append("wanted \(wanted), got \(got)") }
      }
    }
    if !waiting.isEmpty { differences.append("at the end: \(waiting)") }
    waiting = []
    return differences
  }

  static func text(_ output: GATTClient.Output) -> String {
    switch output {
    case .send(let bytes): return "> " + Hexadecimal.encode(bytes)
    case .received(let handle, let value, let indication):
      return "= \(indication ? "indicated" : "notified") \(handle.rawValue) \(Hexadecimal.encode(value))"
    case .finished(let id, .failure(let failure)):
      switch failure {
      case .att(let error): return "= \(id) error \(error.rawValue)"
      default: return "= \(id) \(failure)"
      }
    case .finished(let id, .success(let success)):
      let text =
        switch success {
        case .mtu(let mtu): "mtu \(mtu)"
        case .value(let value): "value \(Hexadecimal.encode(value))"
        case .attribute(let handle, let value): "attribute \(handle) \(Hexadecimal.encode(value))"
        case .written: "written"
        case .services(let list): "services" + list.map { " \($0.uuid)@\($0.start.rawValue)-\($0.end.rawValue)" }.joined()
        case .includes(let list):
          "includes"
            + list.map { " \($0.uuid.map { "\($0)" } ?? "?")@\($0.handle.rawValue):\($0.start.rawValue)-\($0.end.rawValue)" }.joined()
        case .characteristics(let list):
          "characteristics" + list.map { " \($0.uuid)@\($0.declaration.rawValue):\($0.value.rawValue)/\($0.properties)" }.joined()
        case .descriptors(let list): "descriptors" + list.map { " \($0.uuid)@\($0.handle.rawValue)" }.joined()
        }
      return "= \(id) \(text)"
    }
  }
}
