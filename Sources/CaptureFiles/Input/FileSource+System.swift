#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A file or standard input (`-`), read with the system's own calls, so that pipes work as files do.
final class FileSource: ByteSource {
  private let file: String
  private let descriptor: Int32
  private var scratch: [UInt8] = []

  init(path: String) throws(CaptureError) {
    file = path
    if path == "-" {
      descriptor = 0
      return
    }
    descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw CaptureError(.cannotOpen, file: path, "cannot be opened: \(Self.lastError()); check the name and its permissions")
    }
  }

  deinit { if descriptor > 0 { close(descriptor) } }

  func read(_ count: Int, into buffer: inout [UInt8]) throws(CaptureError) -> Int {
    if scratch.count < count { scratch = [UInt8](repeating: 0, count: count) }
    while true {
      let got = unsafe scratch.withUnsafeMutableBytes { unsafe systemRead(descriptor, $0.baseAddress, count) }
      if got >= 0 {
        buffer += scratch[0..<got]
        return got
      }
      if errno != EINTR {
        throw CaptureError(.cannotRead, file: file, "cannot be read: \(Self.lastError()); name a capture file, or - for standard input")
      }
    }
  }

  private static func lastError() -> String { unsafe String(cString: strerror(errno)) }
}

@inline(__always)
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  unsafe read(descriptor, buffer, count)
}
