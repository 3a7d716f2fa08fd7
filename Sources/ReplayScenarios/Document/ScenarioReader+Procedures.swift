import ByteParsing

extension ScenarioReader {
  /// Reads what stands behind the key of a procedure of the link; the data of a channel stands at another key.
  mutating func procedure(_ key: EntryKey) throws(JSON5Error) -> LinkProcedure {
    switch key {
    case .securityRequest: return .securityRequest(try authentication())
    case .pair: return .pair(try pairing())
    case .encrypt: return .encrypt(try word("the key of the encryption", LinkProcedure.EncryptionKey.self))
    case .requestParameters: return .requestParameters(try parameterRange())
    case .updateParameters: return .updateParameters(try parameters())
    case .phy:
      let (central, peripheral) = try ends("the PHYs", remedy: "\"2M\"") { reader throws(JSON5Error) in
        try reader.code("the PHY", ScenarioWords.phys)
      }
      return .updatePHY(central: central, peripheral: peripheral)
    case .dataLength:
      let (central, peripheral) = try ends("the data lengths", remedy: "251, in bytes") { reader throws(JSON5Error) in
        try reader.number16("the data length")
      }
      return .updateDataLength(central: central, peripheral: peripheral)
    case .openChannel: return .openChannel(try opening())
    case .channelData: return .channelData(channel: try channelNumber(), [])
    default: return .closeChannel(try channelNumber())
    }
  }

  private mutating func channelNumber() throws(JSON5Error) -> Int { try json.integer("the channel's number", in: 1...0xFFFF) }

  private mutating func authentication() throws(JSON5Error) -> AuthenticationRequirements {
    AuthenticationRequirements(
      rawValue: try bits("the requirements", each: "a requirement", ScenarioWords.authentication))
  }

  private mutating func distribution(_ what: String) throws(JSON5Error) -> KeyDistribution {
    KeyDistribution(rawValue: try bits(what, each: "a key", ScenarioWords.distribution))
  }

  private mutating func ends<Value>(
    _ what: String, remedy: String, _ read: (inout Self) throws(JSON5Error) -> Value
  ) throws(JSON5Error) -> (Value, Value) {
    var (central, peripheral): (Value?, Value?)
    var object = try json.beginObject(what, keys: ScenarioKeys.Ends.self)
    while let key = try json.nextKey(&object) {
      switch key {
      case .central: central = try read(&self)
      case .peripheral: peripheral = try read(&self)
      }
    }
    return (
      try object.require(central, .central, "central: \(remedy)"), try object.require(peripheral, .peripheral, "peripheral: \(remedy)")
    )
  }

  private mutating func parameterRange() throws(JSON5Error) -> ConnectionParameterRange {
    var (minimum, maximum, latency, timeout): (UInt16?, UInt16?, UInt16?, UInt16?)
    var object = try json.beginObject("the parameters", keys: ScenarioKeys.ParameterRange.self)
    while let key = try json.nextKey(&object) {
      switch key {
      case .intervalMin: minimum = try number16("the least connection interval")
      case .intervalMax: maximum = try number16("the greatest connection interval")
      case .latency: latency = try number16("the peripheral latency")
      case .timeout: timeout = try number16("the supervision timeout")
      }
    }
    return ConnectionParameterRange(
      intervalMinimum: try object.require(minimum, .intervalMin, "intervalMin: 24, in units of 1.25 ms"),
      intervalMaximum: try object.require(maximum, .intervalMax, "intervalMax: 36, in units of 1.25 ms"),
      latency: try object.require(latency, .latency, "latency: 0, in connection events"),
      timeout: try object.require(timeout, .timeout, "timeout: 500, in units of 10 ms"))
  }

  private mutating func opening() throws(JSON5Error) -> L2CAPChannelOpening {
    var (channel, psm): (Int?, UInt16?)
    var (central, peripheral): (L2CAPChannelParameters?, L2CAPChannelParameters?)
    var object = try json.beginObject("the channel", keys: ScenarioKeys.Channel.self)
    while let key = try json.nextKey(&object) {
      switch key {
      case .channel: channel = try channelNumber()
      case .psm: psm = try number16("the PSM")
      case .central: central = try channelEnd()
      case .peripheral: peripheral = try channelEnd()
      }
    }
    return L2CAPChannelOpening(
      channel: try object.require(channel, .channel, "channel: 1, its number on this link"),
      psm: try object.require(psm, .psm, "psm: 0x0080, its protocol"), central: central, peripheral: peripheral)
  }

  private mutating func channelEnd() throws(JSON5Error) -> L2CAPChannelParameters {
    var (mtu, mps, credits): (UInt16?, UInt16, UInt16) = (nil, 0, 0)
    var object = try json.beginObject("the end of a channel", keys: ScenarioKeys.ChannelEnd.self)
    while let key = try json.nextKey(&object) {
      switch key {
      case .mtu: mtu = try number16("the MTU")
      case .mps: mps = try number16("the MPS")
      case .credits: credits = try number16("the credits")
      }
    }
    return L2CAPChannelParameters(mtu: try object.require(mtu, .mtu, "mtu: 247, in bytes"), mps: mps, credits: credits)
  }

  private mutating func pairing() throws(JSON5Error) -> Pairing {
    var pairing = Pairing()
    var object = try json.beginObject("the pairing", keys: ScenarioKeys.Pairing.self)
    while let key = try json.nextKey(&object) {
      switch key {
      case .method: pairing.method = try word("the method", PairingMethod.self)
      case .secureConnections: pairing.isSecureConnections = try json.boolean("\"secureConnections\"")
      case .central: pairing.central = try pairingEnd()
      case .peripheral: pairing.peripheral = try pairingEnd()
      }
    }
    return pairing
  }

  private mutating func pairingEnd() throws(JSON5Error) -> Pairing.End {
    var io: IOCapability?
    var end = Pairing.End(PairingFeatures(io: .noInputNoOutput, authentication: []))
    var object = try json.beginObject("the end of a pairing", keys: ScenarioKeys.PairingEnd.self)
    while let key = try json.nextKey(&object) {
      switch key {
      case .io: io = try code("the input and output", ScenarioWords.ioCapabilities)
      case .outOfBand: end.features.hasOutOfBandData = try json.boolean("\"outOfBand\"")
      case .authentication: end.features.authentication = try authentication()
      case .keySize: end.features.maximumKeySize = try octet("the key size")
      case .initiatorKeys: end.features.initiatorKeys = try distribution("the keys of the central")
      case .responderKeys: end.features.responderKeys = try distribution("the keys of the peripheral")
      case .sent: end.sent = try distribution("the keys that were sent")
      case .keys: end.keys = try pairingKeys()
      }
    }
    end.features.io = try object.require(io, .io, "io: \"noInputNoOutput\", what it can show and be told")
    return end
  }

  private mutating func pairingKeys() throws(JSON5Error) -> PairingKeys {
    var keys = PairingKeys()
    var (address, kind): (String?, BluetoothAddress.Kind?)
    var object = try json.beginObject("the keys", keys: ScenarioKeys.PairingKeys.self)
    while let key = try json.nextKey(&object) {
      switch key {
      case .ltk: keys.longTermKey = try secret("the LTK", count: 16)
      case .ediv: keys.diversifier = try number16("the EDIV")
      case .rand: keys.random = try secret("the Rand", count: 8)
      case .irk: keys.identityResolvingKey = try secret("the IRK", count: 16)
      case .address: address = try json.string("the identity address")
      case .addressType: kind = try addressType()
      case .csrk: keys.signatureKey = try secret("the CSRK", count: 16)
      }
    }
    if let address {
      let kind = try object.require(kind, .addressType, "addressType: \"public\" or \"random\", it belongs to the address")
      keys.identity = try self.address(address, kind, at: object.place(of: .address))
    }
    return keys
  }

  private mutating func secret(_ what: String, count: Int) throws(JSON5Error) -> [UInt8] {
    let bytes = try hex(what)
    guard bytes.count == count else {
      throw JSON5Error(json.place, "\(what) has \(count) bytes, not \(bytes.count)", "write them all, the most significant first")
    }
    return bytes
  }
}
