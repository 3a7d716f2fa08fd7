import SessionReconstruction

/// Reads a capture and reconstructs all of it, and prints what it found, so that nothing can be left out.
@main
struct ReconstructionBenchmark {
  /// Counts PDUs and their bytes, as a client that keeps nothing.
  final class Counter: ATTObserver {
    var pdus = 0
    var bytes = 0
    var answers = 0

    func observe(_ event: ATTEvent, pdu: RawSpan) {
      pdus += 1
      bytes += pdu.byteCount
      if event.answers != nil { answers += 1 }
    }
  }

  static func main() throws {
    guard CommandLine.arguments.count == 2 else {
      print("usage: ReconstructionBenchmark CAPTURE")
      return
    }
    let counter = Counter()
    let capture = try Reconstruction(path: CommandLine.arguments[1], observer: counter)
    let attributes = capture.links.flatMap { $0.databases.values }.reduce(0) { $0 + $1.declarations.count }
    print(
      "\(capture.records) records, \(capture.links.count) links, \(counter.pdus) ATT PDUs, \(counter.bytes) bytes, \(counter.answers) answers, "
        + "\(attributes) attributes, \(capture.findings.count) findings")
  }
}
