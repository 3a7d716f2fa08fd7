#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

import ByteParsing

/// A file that appears under its name at once, when it is complete; given up, it leaves nothing behind.
public final class AtomicFile {
  private let path: String
  private let temporary: String
  private var descriptor: Int32

  /// Begins a file that is to stand at `path`, which may exist and may be a symbolic link.
  public init(path: String) throws(CaptureError) {
    self.path = Self.resolved(path)
    var name = Array("\(self.path).XXXXXX".utf8CString)
    descriptor = unsafe name.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return -1 }
      return unsafe mkstemp(start)
    }
    temporary = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard descriptor >= 0 else { throw Self.error(path) }
    // The rights that a new file has; mkstemp gives them to the owner only.
    let mask = umask(0)
    umask(mask)
    fchmod(descriptor, 0o666 & ~mask)
  }

  deinit {
    guard descriptor >= 0 else { return }
    close(descriptor)
    unsafe _ = unlink(temporary)
  }

  /// Appends bytes.
  public func write(_ bytes: [UInt8]) throws(CaptureError) { try write(bytes.byteSpan) }

  /// Appends borrowed bytes.
  public func write(_ bytes: RawSpan) throws(CaptureError) {
    var written = 0
    while written < bytes.byteCount {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe systemWrite(descriptor, buffer.baseAddress.map { unsafe $0 + written }, buffer.count - written)
      }
      if count >= 0 { written += count } else if errno != EINTR { throw Self.error(path) }
    }
  }

  /// Puts the file in its place.
  public func commit() throws(CaptureError) {
    guard close(descriptor) == 0 else {
      descriptor = -1
      throw Self.error(path)
    }
    descriptor = -1
    guard unsafe rename(temporary, path) == 0 else {
      let error = Self.error(path)
      unsafe _ = unlink(temporary)
      throw error
    }
  }

  private static func resolved(_ path: String) -> String {
    guard let resolved = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  private static func error(_ path: String) -> CaptureError {
    CaptureError(
      .cannotWrite, file: path, "cannot be written: \(unsafe String(cString: strerror(errno))); choose another place or free some space")
  }
}

@inline(__always)
private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int { unsafe write(descriptor, buffer, count) }
