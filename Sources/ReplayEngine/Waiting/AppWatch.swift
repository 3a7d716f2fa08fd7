import Foundation

/// What an air knows about code of the app that runs where it cannot see it: on queues and threads of the app's own.
///
/// Before the app is known to have such code, it is looked for only where the tape has something that the app should do now.
struct AppWatch {
  private enum Mode {
    /// All threads of the process are looked at.
    case everyThread
    /// The process does other things as well: only threads from which calls came are looked at.
    case callers
    case off
  }
  private var mode = Mode.everyThread
  private var callers: Set<Int> = []
  /// A process has no more threads at a time that call a face; numbers of threads that are gone do no harm.
  private static let most = 64
  /// How often in a row the app was waited for, and did not do what was recorded.
  private var inVain = 0
  private static let mostInVain = 2
  /// Since when the app is waited for at one moment of the air's; each call of a face is a new beginning.
  private var wait: (at: AirInstant, calls: Int, since: DispatchTime)?

  /// Whether calls came from where the air cannot see.
  var hasUnseen: Bool { !callers.isEmpty }
  var isOff: Bool { mode == .off }
  /// Whether waiting for what was recorded may help.
  var mayHold: Bool { inVain < Self.mostInVain }

  mutating func called(from thread: Int) {
    if callers.count < Self.most { callers.insert(thread) }
    if mode == .off { mode = .callers }
  }

  /// When the app's time is over, where it began to be waited for at this moment.
  mutating func end(_ now: AirInstant, calls: Int, patience: Duration) -> DispatchTime {
    if let wait, wait.at == now, wait.calls == calls { return wait.since + patience.inSeconds }
    wait = (now, calls, .now())
    return .now() + patience.inSeconds
  }

  /// Threads were waited for, and still ran.
  mutating func threadsStillRan() { mode = hasUnseen && mode == .everyThread ? .callers : .off }

  /// Waiting for something that was recorded brought it, or did not.
  mutating func held(helped: Bool) { inVain = helped ? 0 : inVain + 1 }

  /// Whether code of the app may be running among these threads.
  func mayRun(_ threads: Set<Int>) -> Bool {
    switch mode {
    case .everyThread: !threads.isEmpty
    case .callers: !threads.isDisjoint(with: callers)
    case .off: false
    }
  }
}

/// One look at the app before time goes on, until it does something or the air's patience is over.
final class AppLook: @unchecked Sendable {
  private let air: VirtualAir
  private let calls: Int
  private let end: DispatchTime
  /// The link on which the tape has something for the app before the air's next event.
  let link: Int?
  /// The air's next event, where there is one.
  let next: AirInstant?
  /// Whether the app is waited for though none of its threads runs: it may have set a timer of real time.
  let holds: Bool
  private(set) var ranOut = false

  init(_ air: VirtualAir, calls: Int, until end: DispatchTime, link: Int?, next: AirInstant?, holds: Bool) {
    (self.air, self.calls, self.end, self.link, self.next, self.holds) = (air, calls, end, link, next, holds)
  }

  /// Whether a face was called meanwhile.
  var helped: Bool { air.callCount != calls }

  /// Waits until no thread runs that may be the app's, or the app does something, which makes `activity` another number.
  func wait(_ activity: Int) {
    var pause = 0.000_02
    var before: ThreadStates?
    while !ranOut, air.activityCount == activity {
      let now = ThreadStates()
      // Threads are looked at one after the other: only where none has run meanwhile did all of them sleep at once.
      if !(holds && !helped), !air.mayRun(now.running.subtracting(TaskOwners.shared.drivers)) {
        if let before, now == before || !now.running.isEmpty { return }
        before = now
        continue
      }
      ranOut = DispatchTime.now() >= end
      Thread.sleep(forTimeInterval: pause)
      pause = min(pause * 2, 0.001)
    }
  }
}
