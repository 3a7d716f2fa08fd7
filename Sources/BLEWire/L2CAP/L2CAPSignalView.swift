public import ByteParsing

/// One signalling command over borrowed bytes: `code(1) identifier(1) length(2) data(length)`.
///
/// A frame on CID 0x0005 holds one, a frame on CID 0x0001 one or more. Source: Core 5.4, Vol 3, Part A, 4.
public struct L2CAPSignalView: ~Escapable {
  /// Pairs a response with its request; never 0.
  public let identifier: UInt8
  public let command: L2CAPCommandView

  /// Reads the next command of a frame.
  @_lifetime(copy frame)
  @_lifetime(frame: copy frame)
  public init(parsing frame: inout ByteReader) throws(ParseError) {
    let code = L2CAPSignalCode(rawValue: try frame.uint8())
    identifier = try frame.uint8()
    let length = Int(try frame.uint16())
    command = try L2CAPCommandView(code, try frame.slice(length))
  }
}

/// What a signalling command says.
///
/// Layouts stand at each case; integers are little-endian. Source: Core 5.4, Vol 3, Part A, 4.1 to 4.28.
public enum L2CAPCommandView: ~Escapable {
  /// `reason(2) data(…)`
  case commandReject(reason: UInt16, data: RawSpan)
  /// `psm(2) source(2)`: BR/EDR
  case connectionRequest(psm: UInt16, source: L2CAPChannel)
  /// `destination(2) source(2) result(2) status(2)`
  case connectionResponse(destination: L2CAPChannel, source: L2CAPChannel, result: UInt16, status: UInt16)
  /// `destination(2) flags(2) options(…)`
  case configurationRequest(destination: L2CAPChannel, flags: UInt16, options: RawSpan)
  /// `source(2) flags(2) result(2) options(…)`
  case configurationResponse(source: L2CAPChannel, flags: UInt16, result: UInt16, options: RawSpan)
  /// `destination(2) source(2)`
  case disconnectionRequest(destination: L2CAPChannel, source: L2CAPChannel)
  /// `destination(2) source(2)`
  case disconnectionResponse(destination: L2CAPChannel, source: L2CAPChannel)
  /// `intervalMin(2) intervalMax(2) latency(2) timeout(2)`
  case parameterUpdateRequest(ConnectionParameterRange)
  /// `result(2)`: 0 accepted, 1 rejected
  case parameterUpdateResponse(result: UInt16)
  /// `spsm(2) source(2) mtu(2) mps(2) credits(2)`
  case creditConnectionRequest(psm: UInt16, source: L2CAPChannel, L2CAPChannelParameters)
  /// `destination(2) mtu(2) mps(2) credits(2) result(2)`
  case creditConnectionResponse(destination: L2CAPChannel, L2CAPChannelParameters, result: UInt16)
  /// `source(2) credits(2)`
  case flowControlCredit(source: L2CAPChannel, credits: UInt16)
  /// `spsm(2) mtu(2) mps(2) credits(2) { source(2) }1…5`
  case enhancedConnectionRequest(psm: UInt16, L2CAPChannelParameters, sources: L2CAPChannelList)
  /// `mtu(2) mps(2) credits(2) result(2) { destination(2) }0…5`
  case enhancedConnectionResponse(L2CAPChannelParameters, result: UInt16, destinations: L2CAPChannelList)
  /// `mtu(2) mps(2) { destination(2) }1…5`
  case reconfigureRequest(mtu: UInt16, mps: UInt16, destinations: L2CAPChannelList)
  /// `result(2)`
  case reconfigureResponse(result: UInt16)
  /// Any other command.
  case unknown(L2CAPSignalCode, data: RawSpan)

  @_lifetime(copy data)
  init(_ code: L2CAPSignalCode, _ data: RawSpan) throws(ParseError) {
    var reader = ByteReader(data, layer: .l2cap)
    switch code {
    case .commandReject: self = .commandReject(reason: try reader.uint16(), data: reader.rest())
    case .connectionRequest: self = .connectionRequest(psm: try reader.uint16(), source: try reader.channel())
    case .connectionResponse:
      self = .connectionResponse(
        destination: try reader.channel(), source: try reader.channel(), result: try reader.uint16(), status: try reader.uint16())
    case .configurationRequest:
      self = .configurationRequest(destination: try reader.channel(), flags: try reader.uint16(), options: reader.rest())
    case .configurationResponse:
      self = .configurationResponse(
        source: try reader.channel(), flags: try reader.uint16(), result: try reader.uint16(), options: reader.rest())
    case .disconnectionRequest: self = .disconnectionRequest(destination: try reader.channel(), source: try reader.channel())
    case .disconnectionResponse: self = .disconnectionResponse(destination: try reader.channel(), source: try reader.channel())
    case .parameterUpdateRequest:
      self = .parameterUpdateRequest(
        ConnectionParameterRange(
          intervalMinimum: try reader.uint16(), intervalMaximum: try reader.uint16(), latency: try reader.uint16(),
          timeout: try reader.uint16()))
    case .parameterUpdateResponse: self = .parameterUpdateResponse(result: try reader.uint16())
    case .creditConnectionRequest:
      self = .creditConnectionRequest(psm: try reader.uint16(), source: try reader.channel(), try reader.channelParameters())
    case .creditConnectionResponse:
      self = .creditConnectionResponse(
        destination: try reader.channel(), try reader.channelParameters(), result: try reader.uint16())
    case .flowControlCredit: self = .flowControlCredit(source: try reader.channel(), credits: try reader.uint16())
    case .enhancedConnectionRequest:
      self = .enhancedConnectionRequest(
        psm: try reader.uint16(), try reader.channelParameters(), sources: try L2CAPChannelList(parsing: &reader, atLeast: 1))
    case .enhancedConnectionResponse:
      self = .enhancedConnectionResponse(
        try reader.channelParameters(), result: try reader.uint16(), destinations: try L2CAPChannelList(parsing: &reader, atLeast: 0))
    case .reconfigureRequest:
      self = .reconfigureRequest(
        mtu: try reader.uint16(), mps: try reader.uint16(), destinations: try L2CAPChannelList(parsing: &reader, atLeast: 1))
    case .reconfigureResponse: self = .reconfigureResponse(result: try reader.uint16())
    default: self = .unknown(code, data: reader.rest())
    }
    try reader.expectEnd("the command is longer than its layout")
  }
}

/// Up to five channels of a signalling command, two bytes each.
public struct L2CAPChannelList: ~Escapable {
  private var rest: RawSpan

  @_lifetime(copy reader)
  @_lifetime(reader: copy reader)
  init(parsing reader: inout ByteReader, atLeast: Int) throws(ParseError) {
    if reader.remaining < 2 * atLeast { try reader.skip(2 * atLeast) }
    guard reader.remaining % 2 == 0, reader.remaining <= 10 else {
      throw reader.malformed("the list of channels is not one of up to five")
    }
    rest = reader.rest()
  }

  /// How many are left.
  public var count: Int { rest.byteCount / 2 }

  /// The next channel, or `nil` at the end.
  @_lifetime(self: copy self)
  public mutating func next() -> L2CAPChannel? {
    guard rest.byteCount >= 2 else { return nil }
    defer { rest = rest.suffix(from: 2) }
    return L2CAPChannel(rawValue: rest.uint16(at: 0))
  }
}

extension ByteReader {
  @_lifetime(self: copy self)
  fileprivate mutating func channel() throws(ParseError) -> L2CAPChannel { L2CAPChannel(rawValue: try uint16()) }

  @_lifetime(self: copy self)
  fileprivate mutating func channelParameters() throws(ParseError) -> L2CAPChannelParameters {
    L2CAPChannelParameters(mtu: try uint16(), mps: try uint16(), credits: try uint16())
  }
}
