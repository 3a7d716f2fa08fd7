// One event at a time, for whoever looks for what goes wrong.
extension VirtualAir {
  /// Lets time go on to the next event that the log has a line for, and tells what happened then; nothing where nothing is to come.
  ///
  /// On the real clock time stands still from the first step on, until ``resume()`` or ``stop()``.
  @discardableResult
  public func step() -> [AirLog.Line] {
    let before = lineCount
    if let clock = pacer {
      clock.pause(at: now)
      while lineCount == before, let next = nextDeadline, !isAtRest {
        clock.pause(at: max(now, next))
        _ = follow(clock)
        letAppGoOn()
      }
    } else {
      stepVirtually(until: { self.lineCount != before })
    }
    return lines(from: before)
  }

  /// Lets time go on by itself again where ``step()`` has made it stand still on the real clock.
  public func resume() { pacer?.resume() }

  private var lineCount: Int { withCore { $0.log.droppedLines + $0.log.lines.count } }
  private func lines(from count: Int) -> [AirLog.Line] { withCore { Array($0.log.lines.dropFirst(max(0, count - $0.log.droppedLines))) } }
}
