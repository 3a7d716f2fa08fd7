import Foundation

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

enum Memory {
  /// The memory that is allocated now, in bytes.
  ///
  /// Pages tell less: Dispatch takes its blocks from a store of its own and uses one page of it after the other before it begins again, so
  /// that a process seems to grow for some thousands of connections.
  static var allocated: Int {
    #if canImport(Darwin)
      var statistics = malloc_statistics_t()
      malloc_zone_statistics(nil, &statistics)
      return statistics.size_in_use
    #else
      // What the C library has taken less what of it is free, and large blocks (malloc_info(3)).
      let text = report
      return sum(text, "<system type=\"current\" size=\"") - sum(text, "<total type=\"fast\"", "size=\"")
        - sum(text, "<total type=\"rest\"", "size=\"") + sum(text, "<total type=\"mmap\"", "size=\"")
    #endif
  }

  /// The most memory that this process has had so far, in bytes.
  static var peak: Int {
    var usage = rusage()
    #if canImport(Darwin)
      getrusage(RUSAGE_SELF, &usage)
      return usage.ru_maxrss
    #else
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      return usage.ru_maxrss * 1024
    #endif
  }

  #if !canImport(Darwin)
    /// What the C library tells of its memory.
    private static var report: String {
      typealias Information = @convention(c) (Int32, UnsafeMutablePointer<FILE>) -> Int32
      guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "malloc_info"), let file = tmpfile() else { return "" }
      defer { fclose(file) }
      _ = unsafeBitCast(symbol, to: Information.self)(0, file)
      let count = ftell(file)
      rewind(file)
      return String(
        unsafeUninitializedCapacity: count
      ) { fread($0.baseAddress, 1, $0.count, file) }
    }

    /// The number behind the last of these words, where those of the whole process stand.
    private static func sum(_ text: String, _ words: String...) -> Int {
      var rest = Substring(text)
      for (place, word) in words.enumerated() {
        guard let found = place == 0 ? rest.range(of: word, options: .backwards) : rest.range(of: word) else { return 0 }
        rest = rest[found.upperBound...]
      }
      return Int(rest.prefix { $0.isNumber }) ?? 0
    }
  #endif
}
