import Foundation
import ReplayEngine

/// One stream's part of a channel: its status, where it is scheduled, and which events its delegate has still to hear.
///
/// Events are calls of the air like those of the framework's delegates: for the main run loop they go through the main queue. For any
/// other run loop they go through a queue of their own that waits for the loop to take them, so that the air's time does not go on before.
/// A loop that does not run is waited for once.
final class StreamPort: @unchecked Sendable {
  let isReading: Bool
  let pipe: ChannelPipe
  private let queue: DispatchQueue
  private let lock = NSLock()
  private var stream: Weak<Stream>?
  private weak var listener: (any StreamDelegate)?
  private var state = Stream.Status.notOpen
  private var places: [(loop: RunLoop, mode: RunLoop.Mode, timer: Timer)] = []
  /// Events that came before the stream was scheduled, and those that a run loop has to take.
  private var early: [Stream.Event] = []
  private var inbox: [(event: Stream.Event, done: DispatchSemaphore)] = []
  private var isWaitedFor = true
  /// Whether an event was told that has not been answered by reading or writing.
  private var isTold = false
  private var hasToldEnd = false

  init(_ pipe: ChannelPipe, isReading: Bool) {
    (self.pipe, self.isReading) = (pipe, isReading)
    queue = DispatchQueue(label: "channel \(pipe.channel) \(isReading ? "in" : "out")")
    pipe.air.watch(queue)
    pipe.attach(self)
  }

  func bind(_ stream: Stream) { lock.withLock { self.stream = Weak(stream) } }

  var delegate: (any StreamDelegate)? {
    get { lock.withLock { listener } }
    set { lock.withLock { listener = newValue } }
  }

  var isOpen: Bool { lock.withLock { state == .open } }

  var status: Stream.Status {
    let own = lock.withLock { state }
    guard own == .open, let end = pipe.end(ofReading: isReading) else { return own }
    return end.error == nil ? .atEnd : .error
  }

  var error: NSError? { lock.withLock { state } == .notOpen ? nil : pipe.end(ofReading: isReading)?.error }

  // MARK: - What the app does

  func open() {
    let isNew = lock.withLock { () -> Bool in
      defer { if state == .notOpen { state = .open } }
      return state == .notOpen
    }
    guard isNew else { return }
    pipe.air.enqueue { [self] air in
      tell(.openCompleted, in: air)
      if isReading ? pipe.hasBytes : pipe.hasRoom { note(isReading ? .hasBytesAvailable : .hasSpaceAvailable, in: air) }
      noteEnd(in: air)
    }
  }

  /// A channel that lost one of its streams is closed.
  func close() {
    lock.withLock { (state, early, inbox) = (.closed, [], []) }
    pipe.wakeReaders()
    pipe.close()
  }

  /// The app read or wrote: where there is more to do, it is told again.
  func answered() {
    lock.withLock { isTold = false }
    guard isReading else { return }
    pipe.air.enqueue { [self] air in
      if pipe.hasBytes { note(.hasBytesAvailable, in: air) }
      noteEnd(in: air)
    }
  }

  func schedule(in loop: RunLoop, _ mode: RunLoop.Mode) {
    // A loop without a source ends at once.
    let timer = Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }
    loop.add(timer, forMode: mode)
    let held = Unchecked((loop, mode, timer))
    let waiting = lock.withLock { () -> [Stream.Event] in
      places.append((held.value.0, held.value.1, held.value.2))
      defer { early = [] }
      return early
    }
    guard !waiting.isEmpty else { return }
    pipe.air.enqueue { [self] air in for event in waiting { tell(event, in: air) } }
  }

  func remove(from loop: RunLoop, _ mode: RunLoop.Mode) {
    let held = Unchecked(loop)
    lock.withLock {
      for place in places where place.loop === held.value && place.mode == mode { place.timer.invalidate() }
      places.removeAll { $0.loop === held.value && $0.mode == mode }
    }
  }

  // MARK: - Events

  /// There is something to read, or room to write: told once, until the app does so.
  func note(_ event: Stream.Event, in air: AirCore) {
    let isNew = lock.withLock { () -> Bool in
      guard state == .open, !isTold, !hasToldEnd else { return false }
      isTold = true
      return true
    }
    if isNew { tell(event, in: air) }
  }

  /// The channel may have ended: told once, when all that came was read.
  func noteEnd(in air: AirCore) {
    guard let end = pipe.end(ofReading: isReading) else { return }
    let isNew = lock.withLock { () -> Bool in
      guard state == .open, !hasToldEnd else { return false }
      hasToldEnd = true
      return true
    }
    if isNew { tell(end.error == nil ? .endEncountered : .errorOccurred, in: air) }
  }

  private func tell(_ event: Stream.Event, in air: AirCore) {
    let place = lock.withLock { () -> DispatchQueue? in
      guard let first = places.first else {
        if state != .closed { early.append(event) }
        return nil
      }
      return first.loop === RunLoop.main ? .main : queue
    }
    guard let place else { return }
    air.calls.append(
      DelegateCall(queue: place, name: "stream(_:handle:)") { place === DispatchQueue.main ? self.handle(event) : self.pass(event) })
  }

  /// Hands an event to the run loop, and waits for it to be handled.
  private func pass(_ event: Stream.Event) {
    let done = DispatchSemaphore(value: 0)
    let waits = lock.withLock { () -> Bool in
      guard let place = places.first else { return false }
      inbox.append((event, done))
      // A timer wakes the loop, which a block that is left with it does not.
      place.loop.add(Timer(fire: Date(), interval: 0, repeats: false) { _ in self.takeEvents() }, forMode: place.mode)
      return isWaitedFor
    }
    guard waits, done.wait(timeout: .now() + pipe.air.patience.inSeconds) == .timedOut else { return }
    lock.withLock { isWaitedFor = false }
  }

  private func takeEvents() {
    while let (event, done) = lock.withLock({ inbox.isEmpty ? nil : inbox.removeFirst() }) {
      lock.withLock { isWaitedFor = true }
      VirtualAir.$current.withValue(pipe.air) { handle(event) }
      done.signal()
    }
  }

  private func handle(_ event: Stream.Event) {
    let target = lock.withLock { state == .closed ? nil : stream?.object }
    if let target { delegate?.stream(target, handle: event) }
  }
}

/// A value that is carried to where its lock is held.
private struct Unchecked<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
