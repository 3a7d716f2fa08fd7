import Dispatch
import Foundation

/// Which air a task belongs to: by its task-local value, by the queue or the job that it is put on from, or by what it was before.
final class TaskOwners: @unchecked Sendable {
  static let shared = TaskOwners()

  // All that changes is touched with `lock` held.
  private let lock = NSLock()
  /// By task. One that is gone may leave its number to another, which then is taken for the same air's until it is known better.
  private var tasks: [UInt: WeakJobs] = [:]
  /// Airs that are being run.
  private var running: [(jobs: TaskJobs, thread: Int?)] = []

  /// The air's jobs to which a job is to be added; `nil` for one that is nobody's.
  func owner(of job: UnownedJob) -> TaskJobs? {
    if Self.isDriver { return nil }
    if let air = VirtualAir.here { return air.jobs }
    return lock.withLock {
      if let jobs = tasks[TaskHook.identity(of: job)]?.jobs { return jobs }
      // A task of the main actor that goes elsewhere for the first time; where several airs run, nobody can tell whose it is.
      return running.count == 1 && Thread.isMainThread ? running.first?.jobs : nil
    }
  }

  func note(_ task: UInt, _ jobs: TaskJobs) {
    // By its identity: a reference taken here could be the last one, and end the air with the lock held.
    lock.withLock { if tasks[task]?.id != ObjectIdentifier(jobs) { tasks[task] = WeakJobs(jobs) } }
  }

  /// Whoever runs here is of this air.
  func noteCurrentTask(_ jobs: TaskJobs) { if let task = TaskHook.currentTask { note(task, jobs) } }

  func forget(_ jobs: TaskJobs) { lock.withLock { tasks = tasks.filter { $0.value.id != ObjectIdentifier(jobs) } } }

  /// An air is run, until ``ended(_:)``.
  func began(_ jobs: TaskJobs, on thread: Int?) { lock.withLock { running.append((jobs, thread)) } }

  /// Threads that are taken up by running an air: they run no app's code.
  var drivers: Set<Int> { lock.withLock { Set(running.compactMap(\.thread)) } }

  func isRun(_ jobs: TaskJobs) -> Bool { lock.withLock { running.contains { $0.jobs === jobs } } }

  func ended(_ jobs: TaskJobs) {
    lock.withLock { if let place = running.firstIndex(where: { $0.jobs === jobs }) { running.remove(at: place) } }
  }

  /// Whether whoever runs an air is resumed here: the air must not wait for that.
  @TaskLocal private static var isDriver = false

  static func resumeDriver(_ continuation: CheckedContinuation<Void, Never>) {
    $isDriver.withValue(true) { continuation.resume() }
  }
}
