/// Holds what is said of a session's channels against their openings.
struct ChannelCheck {
  private(set) var problems: [ScenarioProblem] = []

  init(_ session: Session, index: Int) {
    var open: [Int: UInt16] = [:]
    for (place, entry) in session.entries.enumerated() {
      func add(_ message: String) {
        problems.append(ScenarioProblem(.unknownChannel, .error, at: .entry(session: index, place), message))
      }
      switch entry.action {
      case .link(.openChannel(let opening)):
        if entry.answer == .ok {
          if open.updateValue(opening.psm, forKey: opening.channel) != nil {
            add("channel \(opening.channel) is open already; give this one another number")
          }
        }
      case .link(.channelData(let channel, _)), .link(.closeChannel(let channel)):
        if open[channel] == nil { add("channel \(channel) is not open here; add the openChannel that opened it, or correct the number") }
        if case .link(.closeChannel) = entry.action { open[channel] = nil }
      default: break
      }
      guard let bearer = entry.bearer else { continue }
      if case .link = entry.action {
        add("what is no attribute traffic has no bearer; remove \"bearer\"")
      } else if open[bearer] == nil {
        add("the bearer \(bearer) is no channel that is open here; add the openChannel that opened it, or correct the number")
      }
    }
  }
}
