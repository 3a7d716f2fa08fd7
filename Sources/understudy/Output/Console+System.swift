#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// How writing ended.
enum WriteOutcome { case done, closed, failed(String) }

/// Writes every byte, whatever the system takes at a time.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> WriteOutcome {
  var written = 0
  while written < bytes.count {
    let count = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress.map { unsafe $0 + written }, bytes.count - written) }
    if count >= 0 {
      written += count
      continue
    }
    switch errno {
    case EINTR: continue
    case EAGAIN:
      // A terminal or pipe that was left non-blocking: wait until it takes more.
      var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      _ = unsafe poll(&state, 1, -1)
    case EPIPE: return .closed
    default: return .failed(unsafe String(cString: strerror(errno)))
    }
  }
  return .done
}

/// Lets a write to a pipe that nobody reads fail, so that it does not kill the process.
func ignoreBrokenPipes() { _ = signal(SIGPIPE, SIG_IGN) }

/// Whether people look at standard error.
func standardErrorIsTerminal() -> Bool { isatty(2) == 1 }

/// Ends the process.
func endProcess(_ code: ExitCode) -> Never { exit(code.rawValue) }
