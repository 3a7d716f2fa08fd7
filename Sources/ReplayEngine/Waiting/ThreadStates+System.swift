#if canImport(Darwin)
  @preconcurrency import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Which threads of this process run: code that an air has no other sight of is done with what it does when its thread sleeps.
struct ThreadStates: Equatable {
  /// The other threads that run, or are about to.
  private(set) var running: Set<Int> = []
  /// What all of them have run, in units of the system: where that is the same twice, none has run in between.
  private(set) var work: UInt64 = 0

  #if canImport(Darwin)
    /// The thread that runs here.
    static var current: Int { Int(unsafe pthread_mach_thread_np(pthread_self())) }

    /// Looks at the threads now.
    init() {
      let own = Self.current
      var list: thread_act_array_t?
      var count: mach_msg_type_number_t = 0
      guard unsafe task_threads(mach_task_self_, &list, &count) == KERN_SUCCESS, let list = unsafe list else { return }
      for index in 0..<Int(count) {
        let thread = unsafe list[index]
        var info = thread_basic_info()
        var size = mach_msg_type_number_t(MemoryLayout<thread_basic_info>.size / MemoryLayout<natural_t>.size)
        let result = unsafe withUnsafeMutablePointer(to: &info) { pointer in
          unsafe pointer.withMemoryRebound(to: integer_t.self, capacity: Int(size)) {
            unsafe thread_info(thread, thread_flavor_t(THREAD_BASIC_INFO), $0, &size)
          }
        }
        if result == KERN_SUCCESS, Int(thread) != own {
          if info.run_state == TH_STATE_RUNNING { running.insert(Int(thread)) }
          for time in [info.user_time, info.system_time] {
            work &+= UInt64(truncatingIfNeeded: time.seconds) &* 1_000_000 &+ UInt64(truncatingIfNeeded: time.microseconds)
          }
        }
        mach_port_deallocate(mach_task_self_, thread)
      }
      let bytes = vm_size_t(count) * vm_size_t(MemoryLayout<thread_act_t>.size)
      unsafe vm_deallocate(mach_task_self_, vm_address_t(UInt(bitPattern: list)), bytes)
    }
  #else
    /// The thread that runs here: the last part of what `/proc/thread-self` points to.
    static var current: Int {
      unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { bytes in
        guard let base = bytes.baseAddress else { return 0 }
        let count = unsafe readlink("/proc/thread-self", base, bytes.count)
        var number = 0
        for index in 0..<max(0, count) {
          let byte = unsafe bytes[index]
          number = byte == CChar(UInt8(ascii: "/")) ? 0 : number &* 10 &+ (Int(byte) &- Int(UInt8(ascii: "0")))
        }
        return number
      }
    }

    /// Looks at the threads now.
    init() {
      let own = Self.current
      guard let folder = unsafe opendir("/proc/self/task") else { return }
      defer { unsafe closedir(folder) }
      while let entry = unsafe readdir(folder) {
        let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
          unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
        }
        if let thread = Int(name), thread != own { add(thread) }
      }
    }

    private mutating func add(_ thread: Int) {
      // The state stands behind the name, which is in parentheses and may hold any byte (proc(5), /proc/pid/stat).
      let state = Self.contents("/proc/self/task/\(thread)/stat") { bytes in
        bytes.lastIndex(of: UInt8(ascii: ")")).flatMap { $0 + 2 < bytes.count ? bytes[$0 + 2] : nil }
      }
      if state == UInt8(ascii: "R") || state == UInt8(ascii: "D") { running.insert(thread) }
      // Time on the processor, time of waiting for it, and how often it was given (Documentation/scheduler/sched-stats.rst).
      let spent = Self.contents("/proc/self/task/\(thread)/schedstat") { bytes in
        bytes.split(separator: UInt8(ascii: " ")).reduce(UInt64(0)) { sum, digits in
          digits.reduce(UInt64(0)) { (48...57).contains($1) ? $0 &* 10 &+ UInt64($1 - 48) : $0 } &+ sum
        }
      }
      work = work &* 31 &+ UInt64(thread) &+ (spent ?? 0)
    }

    private static func contents<Value>(_ path: String, _ body: ([UInt8]) -> Value?) -> Value? {
      let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { return nil }
      defer { close(file) }
      let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 128) { buffer, count in
        count = unsafe max(0, read(file, buffer.baseAddress, buffer.count))
      }
      return body(bytes)
    }
  #endif
}
