import ByteParsing

/// The content of a zip's entry, held against the size and checksum that the directory states.
final class ZipEntrySource: DamageTelling {
  private(set) var damage: String?
  private var inner: any ByteSource
  private let entry: ZipEntry
  private var count = 0
  private var checksum: UInt32 = 0
  private var hasEnded = false

  /// Reads `inner`, the inflated content of `entry`.
  init(_ inner: any ByteSource, _ entry: ZipEntry) { (self.inner, self.entry) = (inner, entry) }

  func read(_ count: Int, into buffer: inout [UInt8]) throws(CaptureError) -> Int {
    guard !hasEnded, count > 0 else { return 0 }
    let start = buffer.count
    var got = try inner.read(count, into: &buffer)
    if got > entry.byteCount - self.count {
      // More than stated: a damaged directory, or a bomb. What was stated is kept.
      buffer.removeLast(got - (entry.byteCount - self.count))
      got = entry.byteCount - self.count
      end("'\(entry.name)' holds more than the \(entry.byteCount) bytes that are stated for it")
    }
    checksum = CyclicRedundancyCheck.update(checksum, buffer.byteSpan.extracting(start..<buffer.count))
    self.count += got
    if got == 0 { check() }
    return got
  }

  private func check() {
    guard !hasEnded else { return }
    if let told = inner.toldDamage {
      end("'\(entry.name)': \(told)")
    } else if count < entry.byteCount {
      end("'\(entry.name)' ends at byte \(count) of \(entry.byteCount)")
    } else {
      end(checksum == entry.checksum ? nil : "'\(entry.name)' is damaged: its checksum is another")
    }
  }

  private func end(_ problem: String?) { (hasEnded, damage) = (true, problem) }
}
