import ReplayScenarios

/// By what the procedures of a tape are told apart: kind, and the channel that they are about.
struct ProcedureKey: Hashable {
  private let kind: ScenarioKeys.Entry
  private let channel: Int?

  init(_ procedure: LinkProcedure) {
    kind = procedure.key
    channel =
      switch procedure {
      case .channelData(let channel, _), .closeChannel(let channel): channel
      case .openChannel(let opening): opening.channel
      default: nil
      }
  }
}
