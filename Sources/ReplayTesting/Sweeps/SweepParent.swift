#if os(macOS) || os(Linux)
  import Foundation

  /// The process that began this one for a part of a sweep.
  enum SweepParent {
    /// The environment variable with its process identifier.
    static let key = "UNDERSTUDY_SWEEP_PARENT"

    /// Ends this process when that one has ended: an interrupt of the terminal does not come here, and an app may run for ever.
    static func endWithIt(environment: [String: String]) {
      guard let parent = environment[key].flatMap(Int32.init) else { return }
      Thread.detachNewThread {
        while getppid() == parent { sleep(1) }
        _exit(1)
      }
    }
  }
#endif
