package import ByteParsing

/// One signalling command by value; ``L2CAPCommandView`` has the layouts.
public struct L2CAPSignal: Sendable, Hashable {
  /// What it says.
  public enum Command: Sendable, Hashable {
    case commandReject(reason: UInt16, data: [UInt8])
    case connectionRequest(psm: UInt16, source: L2CAPChannel)
    case connectionResponse(destination: L2CAPChannel, source: L2CAPChannel, result: UInt16, status: UInt16)
    case configurationRequest(destination: L2CAPChannel, flags: UInt16, options: [UInt8])
    case configurationResponse(source: L2CAPChannel, flags: UInt16, result: UInt16, options: [UInt8])
    case disconnectionRequest(destination: L2CAPChannel, source: L2CAPChannel)
    case disconnectionResponse(destination: L2CAPChannel, source: L2CAPChannel)
    case parameterUpdateRequest(ConnectionParameterRange)
    case parameterUpdateResponse(result: UInt16)
    case creditConnectionRequest(psm: UInt16, source: L2CAPChannel, L2CAPChannelParameters)
    case creditConnectionResponse(destination: L2CAPChannel, L2CAPChannelParameters, result: UInt16)
    case flowControlCredit(source: L2CAPChannel, credits: UInt16)
    case enhancedConnectionRequest(psm: UInt16, L2CAPChannelParameters, sources: [L2CAPChannel])
    case enhancedConnectionResponse(L2CAPChannelParameters, result: UInt16, destinations: [L2CAPChannel])
    case reconfigureRequest(mtu: UInt16, mps: UInt16, destinations: [L2CAPChannel])
    case reconfigureResponse(result: UInt16)
    case unknown(L2CAPSignalCode, data: [UInt8])
  }

  public var identifier: UInt8
  public var command: Command

  /// Pairs both.
  public init(identifier: UInt8, _ command: Command) { (self.identifier, self.command) = (identifier, command) }

  /// Copies a command.
  public init(_ view: borrowing L2CAPSignalView) {
    self.init(identifier: view.identifier, Self.copy(view.command))
  }

  /// Parses a frame of one command.
  public init(parsing bytes: [UInt8]) throws(ParseError) {
    var reader = ByteReader(bytes.byteSpan, layer: .l2cap)
    self.init(try L2CAPSignalView(parsing: &reader))
    try reader.expectEnd("bytes follow the command")
  }

  private static func copy(_ view: borrowing L2CAPCommandView) -> Command {
    switch view {
    case .commandReject(let reason, let data): .commandReject(reason: reason, data: data.array)
    case .connectionRequest(let psm, let source): .connectionRequest(psm: psm, source: source)
    case .connectionResponse(let destination, let source, let result, let status):
      .connectionResponse(destination: destination, source: source, result: result, status: status)
    case .configurationRequest(let destination, let flags, let options):
      .configurationRequest(destination: destination, flags: flags, options: options.array)
    case .configurationResponse(let source, let flags, let result, let options):
      .configurationResponse(source: source, flags: flags, result: result, options: options.array)
    case .disconnectionRequest(let destination, let source): .disconnectionRequest(destination: destination, source: source)
    case .disconnectionResponse(let destination, let source): .disconnectionResponse(destination: destination, source: source)
    case .parameterUpdateRequest(let range): .parameterUpdateRequest(range)
    case .parameterUpdateResponse(let result): .parameterUpdateResponse(result: result)
    case .creditConnectionRequest(let psm, let source, let parameters): .creditConnectionRequest(psm: psm, source: source, parameters)
    case .creditConnectionResponse(let destination, let parameters, let result):
      .creditConnectionResponse(destination: destination, parameters, result: result)
    case .flowControlCredit(let source, let credits): .flowControlCredit(source: source, credits: credits)
    case .enhancedConnectionRequest(let psm, let parameters, let sources):
      .enhancedConnectionRequest(psm: psm, parameters, sources: copy(sources))
    case .enhancedConnectionResponse(let parameters, let result, let destinations):
      .enhancedConnectionResponse(parameters, result: result, destinations: copy(destinations))
    case .reconfigureRequest(let mtu, let mps, let destinations): .reconfigureRequest(mtu: mtu, mps: mps, destinations: copy(destinations))
    case .reconfigureResponse(let result): .reconfigureResponse(result: result)
    case .unknown(let code, let data): .unknown(code, data: data.array)
    }
  }

  private static func copy(_ list: L2CAPChannelList) -> [L2CAPChannel] {
    var (list, copy) = (list, [L2CAPChannel]())
    while let channel = list.next() { copy.append(channel) }
    return copy
  }
}

extension L2CAPSignal {
  /// The command's first octet.
  public var code: L2CAPSignalCode {
    switch command {
    case .commandReject: .commandReject
    case .connectionRequest: .connectionRequest
    case .connectionResponse: .connectionResponse
    case .configurationRequest: .configurationRequest
    case .configurationResponse: .configurationResponse
    case .disconnectionRequest: .disconnectionRequest
    case .disconnectionResponse: .disconnectionResponse
    case .parameterUpdateRequest: .parameterUpdateRequest
    case .parameterUpdateResponse: .parameterUpdateResponse
    case .creditConnectionRequest: .creditConnectionRequest
    case .creditConnectionResponse: .creditConnectionResponse
    case .flowControlCredit: .flowControlCredit
    case .enhancedConnectionRequest: .enhancedConnectionRequest
    case .enhancedConnectionResponse: .enhancedConnectionResponse
    case .reconfigureRequest: .reconfigureRequest
    case .reconfigureResponse: .reconfigureResponse
    case .unknown(let code, _): code
    }
  }

  private var dataByteCount: Int {
    switch command {
    case .commandReject(_, let data): 2 + data.count
    case .configurationRequest(_, _, let options): 4 + options.count
    case .configurationResponse(_, _, _, let options): 6 + options.count
    case .parameterUpdateResponse, .reconfigureResponse: 2
    case .connectionRequest, .disconnectionRequest, .disconnectionResponse, .flowControlCredit: 4
    case .connectionResponse, .parameterUpdateRequest: 8
    case .creditConnectionRequest, .creditConnectionResponse: 10
    case .enhancedConnectionRequest(_, _, let channels), .enhancedConnectionResponse(_, _, let channels): 8 + 2 * channels.count
    case .reconfigureRequest(_, _, let channels): 4 + 2 * channels.count
    case .unknown(_, let data): data.count
    }
  }

  /// The number of bytes that ``bytes`` has.
  public var encodedByteCount: Int { 4 + dataByteCount }

  /// The command as it stands in a frame.
  public var bytes: [UInt8] {
    var writer = ByteWriter(capacity: encodedByteCount)
    write(to: &writer)
    return writer.bytes
  }

  /// Appends the command's bytes.
  package func write(to writer: inout ByteWriter) {
    writer.uint8(code.rawValue)
    writer.uint8(identifier)
    writer.uint16(UInt16(truncatingIfNeeded: dataByteCount))
    switch command {
    case .commandReject(let reason, let data):
      writer.uint16(reason)
      writer.append(data)
    case .connectionRequest(let psm, let source): writer.uint16s(psm, source.rawValue)
    case .connectionResponse(let destination, let source, let result, let status):
      writer.uint16s(destination.rawValue, source.rawValue, result, status)
    case .configurationRequest(let destination, let flags, let options):
      writer.uint16s(destination.rawValue, flags)
      writer.append(options)
    case .configurationResponse(let source, let flags, let result, let options):
      writer.uint16s(source.rawValue, flags, result)
      writer.append(options)
    case .disconnectionRequest(let destination, let source), .disconnectionResponse(let destination, let source):
      writer.uint16s(destination.rawValue, source.rawValue)
    case .parameterUpdateRequest(let range):
      writer.uint16s(range.intervalMinimum, range.intervalMaximum, range.latency, range.timeout)
    case .parameterUpdateResponse(let result), .reconfigureResponse(let result): writer.uint16(result)
    case .creditConnectionRequest(let psm, let source, let parameters):
      writer.uint16s(psm, source.rawValue)
      writer.parameters(parameters)
    case .creditConnectionResponse(let destination, let parameters, let result):
      writer.uint16(destination.rawValue)
      writer.parameters(parameters)
      writer.uint16(result)
    case .flowControlCredit(let source, let credits): writer.uint16s(source.rawValue, credits)
    case .enhancedConnectionRequest(let psm, let parameters, let sources):
      writer.uint16(psm)
      writer.parameters(parameters)
      for source in sources { writer.uint16(source.rawValue) }
    case .enhancedConnectionResponse(let parameters, let result, let destinations):
      writer.parameters(parameters)
      writer.uint16(result)
      for destination in destinations { writer.uint16(destination.rawValue) }
    case .reconfigureRequest(let mtu, let mps, let destinations):
      writer.uint16s(mtu, mps)
      for destination in destinations { writer.uint16(destination.rawValue) }
    case .unknown(_, let data): writer.append(data)
    }
  }
}

extension ByteWriter {
  fileprivate mutating func uint16s(_ values: UInt16...) { for value in values { uint16(value) } }

  fileprivate mutating func parameters(_ parameters: L2CAPChannelParameters) {
    uint16s(parameters.mtu, parameters.mps, parameters.credits)
  }
}
