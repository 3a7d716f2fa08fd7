/// Where a command writes: standard output in large pieces, and messages to standard error.
final class Console {
  private static let chunk = 1 << 16
  private var buffer: [UInt8] = []
  /// Whether whoever read standard output has gone; work for it can stop.
  private(set) var isClosed = false
  private var failure: String?
  /// Whether standard error is a terminal.
  private let isTerminal: Bool
  private var hasProgress = false

  init(isTerminal: Bool = standardErrorIsTerminal()) {
    self.isTerminal = isTerminal
    buffer.reserveCapacity(Self.chunk + 4096)
    ignoreBrokenPipes()
  }

  /// Writes text to standard output.
  func print(_ text: String) { write { $0 += text.utf8 } }

  /// Lets `body` append bytes to what standard output gets.
  func write(_ body: (inout [UInt8]) -> Void) {
    body(&buffer)
    if buffer.count >= Self.chunk { flush() }
  }

  /// Hands all that was written to the system.
  func flush() {
    defer { buffer.removeAll(keepingCapacity: true) }
    guard !isClosed, failure == nil else { return }
    switch writeAll(buffer, to: 1) {
    case .done: break
    case .closed: isClosed = true
    case .failed(let reason): failure = reason
    }
  }

  /// Shows a line on the terminal that the next one replaces; nothing where standard error is none.
  func showProgress(_ line: String) {
    guard isTerminal else { return }
    hasProgress = true
    _ = writeAll(Array("\r\u{1B}[K\(line)".utf8), to: 2)
  }

  /// Takes the line away.
  func clearProgress() {
    guard hasProgress else { return }
    hasProgress = false
    _ = writeAll(Array("\r\u{1B}[K".utf8), to: 2)
  }

  /// Writes `understudy: MESSAGE` to standard error, after what standard output has so far.
  func report(_ message: String) {
    clearProgress()
    flush()
    _ = writeAll(Array("\(Understudy.name): \(message)\n".utf8), to: 2)
  }

  /// Ends the program; output that could not be written is an error of the environment.
  func exit(_ code: ExitCode) -> Never {
    flush()
    if let failure {
      _ = writeAll(Array("\(Understudy.name): standard output: \(failure); free space or choose another place\n".utf8), to: 2)
      endProcess(code == .success ? .environment : code)
    }
    endProcess(code)
  }
}
