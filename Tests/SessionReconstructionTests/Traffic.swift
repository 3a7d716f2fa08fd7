import SessionReconstruction
import TestSupport

/// A capture's reconstruction with every ATT PDU.
struct Traffic {
  struct PDU {
    var event: ATTEvent
    var bytes: [UInt8]
  }

  private final class Collector: ATTObserver {
    var pdus: [PDU] = []
    func observe(_ event: ATTEvent, pdu: RawSpan) { pdus.append(PDU(event: event, bytes: pdu.array)) }
  }

  let capture: Reconstruction
  let pdus: [PDU]

  init(_ bytes: [UInt8]) throws {
    let collector = Collector()
    capture = try Reconstruction(bytes: bytes, file: "test", observer: collector)
    pdus = collector.pdus
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
