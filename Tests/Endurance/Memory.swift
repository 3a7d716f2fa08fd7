#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

enum Memory {
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
}
