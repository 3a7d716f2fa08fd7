import CaptureFiles

/// What a link's controllers agreed on, and what one of them asked for.
struct ControlState {
  /// PHYs and lengths that were told last.
  var phys = (central: LinkPHY.le1M, peripheral: LinkPHY.le1M)
  var lengths = (central: UInt16(27), peripheral: UInt16(27))
  /// A request for connection parameters that waits for its answer.
  var parameters: LinkEvent?
}

// Following what the controllers of a link agree on.
extension LinkState {
  /// Other connection parameters are in force.
  mutating func update(_ parameters: ConnectionParameters, _ context: Context) {
    answerParameters(.success, context)
    guard parameters != ConnectionParameters(interval: link.interval, latency: link.latency, timeout: link.timeout) else { return }
    (link.interval, link.latency, link.timeout) = (parameters.interval, parameters.latency, parameters.timeout)
    tell(.updateParameters(parameters), by: .central, context)
  }

  mutating func update(centralPHY: LinkPHY, peripheralPHY: LinkPHY, _ context: Context) {
    guard controls.phys != (centralPHY, peripheralPHY) else { return }
    controls.phys = (centralPHY, peripheralPHY)
    tell(.updatePHY(central: centralPHY, peripheral: peripheralPHY), by: .central, context)
  }

  mutating func update(centralLength: UInt16, peripheralLength: UInt16, _ context: Context) {
    guard controls.lengths != (centralLength, peripheralLength) else { return }
    controls.lengths = (centralLength, peripheralLength)
    tell(.updateDataLength(central: centralLength, peripheral: peripheralLength), by: .central, context)
  }

  /// A controller asks the other for connection parameters.
  mutating func askParameters(_ range: ConnectionParameterRange, by sender: LinkRole, _ context: Context) {
    controls.parameters = tell(.requestParameters(range), by: sender, context)
  }

  /// Answers such a request, if one waits.
  mutating func answerParameters(_ outcome: LinkProcedure.Outcome, _ context: Context) {
    guard var event = controls.parameters else { return }
    controls.parameters = nil
    settle(&event, outcome, context)
  }
}
