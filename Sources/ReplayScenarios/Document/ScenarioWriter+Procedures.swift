import ByteParsing

extension ScenarioWriter {
  /// Writes what the ends of the link do besides attribute traffic; `value` is the data that a channel carries.
  mutating func write(_ procedure: LinkProcedure, value: RawSpan) {
    json.raw(", \(procedure.key.rawValue): ")
    switch procedure {
    case .securityRequest(let authentication): json.bits(authentication.rawValue, ScenarioWords.authentication)
    case .pair(let pairing): Self.write(pairing, to: &json)
    case .encrypt(let key): json.string(key.rawValue)
    case .requestParameters(let range): Self.write(range, to: &json)
    case .updateParameters(let parameters): Self.write(parameters, to: &json)
    case .updatePHY(let central, let peripheral):
      Self.writeEnds(central, peripheral, to: &json) { $0.code($1, ScenarioWords.phys) }
    case .updateDataLength(let central, let peripheral): Self.writeEnds(central, peripheral, to: &json) { $0.raw(String($1)) }
    case .openChannel(let opening): Self.write(opening, to: &json)
    case .channelData(let channel, _):
      json.raw(String(channel))
      json.literal(", value: ")
      json.hex(value)
    case .closeChannel(let channel): json.raw(String(channel))
    }
  }

  private static func writeEnds<Value>(
    _ central: Value, _ peripheral: Value, to json: inout JSON5Writer, _ write: (inout JSON5Writer, Value) -> Void
  ) {
    json.open("{ ")
    json.optional(ScenarioKeys.Ends.central, central, write)
    json.optional(ScenarioKeys.Ends.peripheral, peripheral, write)
    json.close(" }")
  }

  private static func write(_ range: ConnectionParameterRange, to json: inout JSON5Writer) {
    typealias Key = ScenarioKeys.ParameterRange
    let values: [(Key, UInt16)] = [
      (.intervalMin, range.intervalMinimum), (.intervalMax, range.intervalMaximum), (.latency, range.latency), (.timeout, range.timeout),
    ]
    json.open("{ ")
    for (key, value) in values { json.optional(key, value) { $0.raw(String($1)) } }
    json.close(" }")
  }

  private static func write(_ opening: L2CAPChannelOpening, to json: inout JSON5Writer) {
    typealias Key = ScenarioKeys.Channel
    json.open("{ ")
    json.optional(Key.channel, opening.channel) { $0.raw(String($1)) }
    json.optional(Key.psm, opening.psm) { $0.raw(hexadecimal($1)) }
    json.optional(Key.central, opening.central) { write($1, to: &$0) }
    json.optional(Key.peripheral, opening.peripheral) { write($1, to: &$0) }
    json.close(" }")
  }

  private static func write(_ end: L2CAPChannelParameters, to json: inout JSON5Writer) {
    typealias Key = ScenarioKeys.ChannelEnd
    json.open("{ ")
    json.optional(Key.mtu, end.mtu) { $0.raw(String($1)) }
    json.optional(Key.mps, end.mps == 0 ? nil : end.mps) { $0.raw(String($1)) }
    json.optional(Key.credits, end.credits == 0 ? nil : end.credits) { $0.raw(String($1)) }
    json.close(" }")
  }

  private static func write(_ pairing: Pairing, to json: inout JSON5Writer) {
    typealias Key = ScenarioKeys.Pairing
    json.open("{ ")
    json.optional(Key.method, pairing.method) { $0.string($1.rawValue) }
    json.optional(Key.secureConnections, pairing.isSecureConnections ? true : nil) { $0.raw(String($1)) }
    json.optional(Key.central, pairing.central) { write($1, to: &$0) }
    json.optional(Key.peripheral, pairing.peripheral) { write($1, to: &$0) }
    json.close(" }")
  }

  private static func write(_ end: Pairing.End, to json: inout JSON5Writer) {
    typealias Key = ScenarioKeys.PairingEnd
    let features = end.features
    json.open("{ ")
    json.optional(Key.io, features.io) { $0.code($1, ScenarioWords.ioCapabilities) }
    json.optional(Key.outOfBand, features.hasOutOfBandData ? true : nil) { $0.raw(String($1)) }
    json.optional(Key.authentication, features.authentication.rawValue) { $0.bits($1, ScenarioWords.authentication) }
    json.optional(Key.keySize, features.maximumKeySize == 16 ? nil : features.maximumKeySize) { $0.raw(String($1)) }
    let distributions: [(Key, KeyDistribution)] = [
      (.initiatorKeys, features.initiatorKeys), (.responderKeys, features.responderKeys), (.sent, end.sent),
    ]
    for (key, keys) in distributions {
      json.optional(key, keys.isEmpty ? nil : keys) { $0.bits($1.rawValue, ScenarioWords.distribution) }
    }
    json.optional(Key.keys, end.keys) { write($1, to: &$0) }
    json.close(" }")
  }

  private static func write(_ keys: PairingKeys, to json: inout JSON5Writer) {
    typealias Key = ScenarioKeys.PairingKeys
    json.open("{ ")
    json.optional(Key.ltk, keys.longTermKey) { $0.hex($1) }
    json.optional(Key.ediv, keys.diversifier) { $0.raw(hexadecimal($1)) }
    json.optional(Key.rand, keys.random) { $0.hex($1) }
    json.optional(Key.irk, keys.identityResolvingKey) { $0.hex($1) }
    json.optional(Key.address, keys.identity) { $0.string($1.description) }
    json.optional(Key.addressType, keys.identity?.kind) { $0.code($1, ScenarioWords.addressTypes) }
    json.optional(Key.csrk, keys.signatureKey) { $0.hex($1) }
    json.close(" }")
  }
}
