#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
import ByteParsing

/// A file that stays open and is read at any place; a pipe is read in order instead, until it is spooled.
///
/// All its parts are constant, and `pread` moves no common position, so that several sources may read it at once.
final class RandomAccessFile: RandomAccessBytes {
  /// The file as the caller named it.
  let name: String
  /// 0 for a pipe.
  let byteCount: Int
  /// Whether it has places; a pipe has none.
  let isSeekable: Bool
  private let descriptor: Int32
  private let start: Int

  /// Opens the file at `path`; `-` is standard input.
  convenience init(path: String) throws(CaptureError) {
    guard path != "-" else {
      self.init(name: "standard input", descriptor: 0)
      return
    }
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw CaptureError(.cannotOpen, file: path, "cannot be opened: \(Self.lastError()); check the name and its permissions")
    }
    self.init(name: path, descriptor: descriptor)
  }

  /// Whether a file is there that is no folder, pipe or device, perhaps behind symbolic links.
  static func isRegular(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  private init(name: String, descriptor: Int32) {
    (self.name, self.descriptor) = (name, descriptor)
    let here = Int(lseek(descriptor, 0, SEEK_CUR))
    let end = here < 0 ? here : Int(lseek(descriptor, 0, SEEK_END))
    isSeekable = end >= 0
    start = max(0, here)
    byteCount = max(0, end - start)
    if isSeekable { lseek(descriptor, off_t(start), SEEK_SET) }
  }

  deinit { if descriptor > 0 { close(descriptor) } }

  func read(_ count: Int, at offset: Int, into buffer: inout [UInt8]) throws(CaptureError) -> Int {
    guard offset >= 0, offset < byteCount, count > 0 else { return 0 }
    return unsafe try fill(min(count, byteCount - offset), &buffer) { address, count in
      unsafe pread(descriptor, address, count, off_t(start + offset))
    }
  }

  /// Reads on where the system's own position is: the way to read a pipe, or a device.
  func readOn(_ count: Int, into buffer: inout [UInt8]) throws(CaptureError) -> Int {
    unsafe try fill(count, &buffer) { address, count in unsafe systemRead(descriptor, address, count) }
  }

  private func fill(
    _ count: Int, _ buffer: inout [UInt8], _ call: (UnsafeMutableRawPointer?, Int) -> Int
  ) throws(CaptureError) -> Int {
    guard count > 0 else { return 0 }
    var scratch = [UInt8](repeating: 0, count: min(count, 1 << 18))
    while true {
      let got = unsafe scratch.withUnsafeMutableBytes { unsafe call($0.baseAddress, $0.count) }
      if got >= 0 {
        buffer.append(contentsOf: scratch.byteSpan.extracting(0..<min(got, scratch.count)))
        return got
      }
      if errno != EINTR {
        throw CaptureError(.cannotRead, file: name, "cannot be read: \(Self.lastError()); name a capture file, or - for standard input")
      }
    }
  }

  /// Writes all of `source`, up to `limit` bytes, to a temporary file that has no name any more, so that nothing is left behind.
  static func spool(_ source: any ByteSource, name: String, limit: Int) throws(CaptureError) -> RandomAccessFile {
    var source = source
    let descriptor = try temporaryFile(for: name)
    var buffer: [UInt8] = []
    var written = 0
    while true {
      buffer.removeAll(keepingCapacity: true)
      if try source.read(1 << 18, into: &buffer) == 0 { break }
      written += buffer.count
      guard written <= limit, write(buffer, to: descriptor) else {
        let reason = written > limit ? "it has more than \(limit) bytes" : lastError()
        close(descriptor)
        throw CaptureError(.cannotWrite, file: name, "cannot be kept in a temporary file: \(reason); unpack it and name the capture in it")
      }
    }
    lseek(descriptor, 0, SEEK_SET)
    return RandomAccessFile(name: name, descriptor: descriptor)
  }

  private static func temporaryFile(for name: String) throws(CaptureError) -> Int32 {
    let folder = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    var template = Array("\(folder)/understudy-XXXXXX".utf8CString)
    let descriptor = unsafe template.withUnsafeMutableBufferPointer { path in
      guard let address = path.baseAddress else { return -1 as Int32 }
      let descriptor = unsafe mkstemp(address)
      if descriptor >= 0 { unsafe unlink(address) }
      return descriptor
    }
    guard descriptor >= 0 else {
      throw CaptureError(.cannotWrite, file: name, "needs a temporary file in \(folder): \(lastError()); set TMPDIR to another folder")
    }
    return descriptor
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    unsafe bytes.withUnsafeBytes { buffer in
      var done = 0
      while done < buffer.count {
        let count = unsafe systemWrite(descriptor, buffer.baseAddress.map { unsafe $0 + done }, buffer.count - done)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        done += count
      }
      return true
    }
  }

  private static func lastError() -> String { unsafe String(cString: strerror(errno)) }
}

@inline(__always)
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  unsafe read(descriptor, buffer, count)
}

@inline(__always)
private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(descriptor, buffer, count)
}
