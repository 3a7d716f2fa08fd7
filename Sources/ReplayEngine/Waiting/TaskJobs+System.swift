import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Sees each job that a task puts on the default executor, by the hook that the concurrency runtime has for this.
///
/// Source: `swift_task_enqueueGlobal_hook` of the Swift runtime (stdlib/public/Concurrency/Executor.h). Where a runtime lacks it, or is
/// linked statically, nothing is seen, and an air goes by the tape and by the threads alone.
enum TaskHook {
  private typealias Original = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

  /// Takes jobs in hand from now on; tells whether that is possible.
  @discardableResult
  static func install() -> Bool {
    guard let symbol = unsafe dlsym(dlopen(nil, RTLD_NOW), "swift_task_enqueueGlobal_hook") else { return false }
    let place = unsafe symbol.assumingMemoryBound(to: Hook?.self)
    let hook: Hook = { job, original in
      guard let jobs = TaskOwners.shared.owner(of: job) else { return original(job) }
      jobs.add(job)
    }
    // Looked at for each air: another library for tests may have put its own hook in its place, and taken that away.
    lock.withLock {
      let (present, own) = unsafe (unsafeBitCast(place.pointee, to: UInt.self), unsafeBitCast(hook, to: UInt.self))
      if present != own { unsafe place.pointee = hook }
    }
    return true
  }

  private static let lock = NSLock()

  /// The executor of whoever is isolated to nothing.
  private static let generic = unsafe unsafeBitCast((UInt(0), UInt(0)), to: UnownedSerialExecutor.self)

  static func run(_ job: UnownedJob) { unsafe job.runSynchronously(on: generic) }

  /// The task that a job belongs to, where it is one's own and no actor's.
  static func identity(of job: UnownedJob) -> UInt { unsafe unsafeBitCast(job, to: UInt.self) }

  /// The task that runs here.
  static var currentTask: UInt? {
    unsafe withUnsafeCurrentTask { task in
      guard let task = unsafe task else { return nil }
      return unsafe unsafeBitCast(task, to: UInt.self)
    }
  }
}
