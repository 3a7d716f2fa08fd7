import SessionReconstruction
import TestSupport

/// A capture's reconstruction with every ATT PDU, and what else the ends did, as it was known last.
struct Traffic {
  struct PDU {
    var event: ATTEvent
    var bytes: [UInt8]
  }

  private final class Collector: ATTObserver {
    var pdus: [PDU] = []
    var events: [LinkEvent] = []
    func observe(_ event: ATTEvent, pdu: RawSpan) { pdus.append(PDU(event: event, bytes: pdu.array)) }
    func observe(_ event: LinkEvent) {
      let known = events.firstIndex { ($0.link, $0.number) == (event.link, event.number) }
      if let known { events[known] = event } else { events.append(event) }
    }
  }

  let capture: Reconstruction
  let pdus: [PDU]
  let events: [LinkEvent]

  init(_ bytes: [UInt8]) throws {
    let collector = Collector()
    capture = try Reconstruction(bytes: bytes, file: "test", observer: collector)
    (pdus, events) = (collector.pdus, collector.events)
  }

  init(_ build: (inout CaptureBuilder) -> Void) throws {
    var builder = CaptureBuilder()
    build(&builder)
    try self.init(builder.bytes)
  }

  /// Codes of the findings, in order.
  var codes: [Finding.Code] { capture.findings.map(\.code) }
  /// The PDUs in hex.
  var texts: [String] { pdus.map { Hexadecimal.encode($0.bytes) } }
}
