import ByteParsing

/// The older parts of a log that lie beside it on disk.
enum CaptureSiblings {
  private static let largestNumber = 99

  /// For `X.log`: the `X.log.N` that exist, from the largest N down, `X.log.last`, and `X.log` itself; any other path alone.
  ///
  /// Only files that begin as btsnoop count, so that a text beside the log is not taken for a part of it. Whether the parts belong together is
  /// for the caller to see from their times.
  static func siblings(of path: String) -> [String] {
    guard path.lowercased().hasSuffix(".log") else { return [path] }
    let older = (1...largestNumber).reversed().map { "\(path).\($0)" } + ["\(path).last"]
    return older.filter(isBtsnoop) + [path]
  }

  private static func isBtsnoop(_ path: String) -> Bool {
    // Opening a pipe would wait for somebody to write into it.
    guard RandomAccessFile.isRegular(path), let file = try? RandomAccessFile(path: path),
      let beginning = try? file.bytes(BtsnoopFormat.magic.count, at: 0)
    else {
      return false
    }
    return beginning == BtsnoopFormat.magic
  }
}
