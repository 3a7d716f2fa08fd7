extension LinkProcedure {
  /// The key under which it is written.
  package var key: ScenarioKeys.Entry {
    switch self {
    case .securityRequest: .securityRequest
    case .pair: .pair
    case .encrypt: .encrypt
    case .requestParameters: .requestParameters
    case .updateParameters: .updateParameters
    case .updatePHY: .phy
    case .updateDataLength: .dataLength
    case .openChannel: .openChannel
    case .channelData: .channelData
    case .closeChannel: .closeChannel
    }
  }

  /// What it is, for people.
  package var words: String {
    switch self {
    case .securityRequest: "security request"
    case .pair: "pairing"
    case .encrypt(let key): "encryption with the \(key.rawValue) key"
    case .requestParameters(let range):
      "request for connection parameters \(range.intervalMinimum)…\(range.intervalMaximum) \(range.latency) \(range.timeout)"
    case .updateParameters(let parameters): "connection parameters \(parameters.interval) \(parameters.latency) \(parameters.timeout)"
    case .updatePHY(let central, let peripheral): "PHY \(central.rawValue), \(peripheral.rawValue)"
    case .updateDataLength(let central, let peripheral): "data length \(central), \(peripheral)"
    case .openChannel(let opening): "opening of channel \(opening.channel) for PSM \(hexadecimal(opening.psm))"
    case .channelData(let channel, let bytes): "data on channel \(channel) \(Hexadecimal.encode(bytes))"
    case .closeChannel(let channel): "end of channel \(channel)"
    }
  }
}
