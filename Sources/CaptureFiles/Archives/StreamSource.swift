/// A file read in order, behind bytes that were taken from it to see what it is.
final class StreamSource: ByteSource {
  private let file: RandomAccessFile
  private var beginning: [UInt8]

  /// Hands out `beginning` first.
  init(_ file: RandomAccessFile, beginning: [UInt8]) { (self.file, self.beginning) = (file, beginning) }

  func read(_ count: Int, into buffer: inout [UInt8]) throws(CaptureError) -> Int {
    guard !beginning.isEmpty else { return try file.readOn(count, into: &buffer) }
    let taken = beginning.prefix(max(0, count))
    buffer += taken
    beginning.removeFirst(taken.count)
    return taken.count
  }
}
