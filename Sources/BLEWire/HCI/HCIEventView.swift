public import ByteParsing

/// One HCI event over borrowed bytes: `code(1) length(1) parameters(length)`.
///
/// The events that make, change and end links, and advertising reports, are read; every other keeps its code and bytes.
/// Source: Core 5.4, Vol 4, Part E, 5.4.4 and 7.7.
public enum HCIEventView: ~Escapable {
  /// `status(1) handle(2) address(6) linkType(1) encryption(1)`: a BR/EDR link.
  case connectionComplete(status: HCIErrorCode, handle: ConnectionHandle, peer: BluetoothAddress, linkType: UInt8)
  /// `status(1) handle(2) reason(1)`
  case disconnectionComplete(status: HCIErrorCode, handle: ConnectionHandle, reason: HCIErrorCode)
  /// `status(1) handle(2) enabled(1)`, and `keySize(1)` in version 2
  case encryptionChange(status: HCIErrorCode, handle: ConnectionHandle, enabled: UInt8)
  /// `status(1) handle(2)`
  case encryptionKeyRefreshComplete(status: HCIErrorCode, handle: ConnectionHandle)
  /// `count(1) { handle(2) packets(2) }count`
  case numberOfCompletedPackets(CompletedPacketsList)
  /// `commandPackets(1) opcode(2) returnParameters(…)`
  case commandComplete(opcode: HCIOpcode, returnParameters: RawSpan)
  /// `status(1) commandPackets(1) opcode(2)`
  case commandStatus(status: HCIErrorCode, opcode: HCIOpcode)
  case leConnectionComplete(LEConnectionComplete)
  /// `status(1) handle(2) interval(2) latency(2) timeout(2)`
  case leConnectionUpdateComplete(status: HCIErrorCode, handle: ConnectionHandle, interval: UInt16, latency: UInt16, timeout: UInt16)
  /// `handle(2) maxTXOctets(2) maxTXTime(2) maxRXOctets(2) maxRXTime(2)`
  case leDataLengthChange(handle: ConnectionHandle, maxTXOctets: UInt16, maxRXOctets: UInt16)
  /// `status(1) handle(2) txPHY(1) rxPHY(1)`
  case lePHYUpdateComplete(status: HCIErrorCode, handle: ConnectionHandle, txPHY: UInt8, rxPHY: UInt8)
  /// `handle(2) random(8) diversifier(2)`
  case leLongTermKeyRequest(handle: ConnectionHandle)
  /// `handle(2) intervalMin(2) intervalMax(2) latency(2) timeout(2)`
  case leRemoteConnectionParameterRequest(handle: ConnectionHandle, ConnectionParameterRange)
  case leAdvertisingReport(AdvertisingReportList)
  case leExtendedAdvertisingReport(AdvertisingReportList)
  /// Any other LE Meta event.
  case leMeta(LESubevent, parameters: RawSpan)
  /// Any other event.
  case other(HCIEventCode, parameters: RawSpan)

  /// Checks an event; parameters that a later version adds at the end are passed over.
  @_lifetime(copy bytes)
  public init(parsing bytes: RawSpan) throws(ParseError) {
    var header = ByteReader(bytes, layer: .hciEvent)
    let code = HCIEventCode(rawValue: try header.uint8())
    let length = Int(try header.uint8())
    guard header.remaining >= length else {
      throw ParseError.truncated(.hciEvent, at: 2, needed: length, available: header.remaining)
    }
    // Bytes behind the parameters belong to nothing: a short event must not be completed from them.
    var reader = ByteReader(bytes.extracting(0..<(2 + length)), layer: .hciEvent)
    try reader.skip(2)
    switch code {
    case .connectionComplete:
      self = .connectionComplete(
        status: try reader.status(), handle: try reader.connectionHandle(),
        peer: BluetoothAddress(try reader.uint48(), kind: .classic), linkType: try reader.uint8())
    case .disconnectionComplete:
      self = .disconnectionComplete(status: try reader.status(), handle: try reader.connectionHandle(), reason: try reader.status())
    case .encryptionChange, .encryptionChangeV2:
      self = .encryptionChange(status: try reader.status(), handle: try reader.connectionHandle(), enabled: try reader.uint8())
    case .encryptionKeyRefreshComplete:
      self = .encryptionKeyRefreshComplete(status: try reader.status(), handle: try reader.connectionHandle())
    case .numberOfCompletedPackets: self = .numberOfCompletedPackets(try CompletedPacketsList(parsing: &reader))
    case .commandComplete:
      try reader.skip(1)
      self = .commandComplete(opcode: HCIOpcode(rawValue: try reader.uint16()), returnParameters: reader.rest())
    case .commandStatus:
      let status = try reader.status()
      try reader.skip(1)
      self = .commandStatus(status: status, opcode: HCIOpcode(rawValue: try reader.uint16()))
    case .leMeta: self = try HCIEventView(parsingLEMeta: &reader)
    default: self = .other(code, parameters: reader.rest())
    }
  }

  @_lifetime(copy reader)
  private init(parsingLEMeta reader: inout ByteReader) throws(ParseError) {
    let subevent = LESubevent(rawValue: try reader.uint8())
    switch subevent {
    case .connectionComplete: self = .leConnectionComplete(try LEConnectionComplete(parsing: &reader, form: .legacy))
    case .enhancedConnectionComplete: self = .leConnectionComplete(try LEConnectionComplete(parsing: &reader, form: .enhanced))
    case .enhancedConnectionCompleteV2: self = .leConnectionComplete(try LEConnectionComplete(parsing: &reader, form: .enhancedV2))
    case .connectionUpdateComplete:
      self = .leConnectionUpdateComplete(
        status: try reader.status(), handle: try reader.connectionHandle(), interval: try reader.uint16(),
        latency: try reader.uint16(), timeout: try reader.uint16())
    case .dataLengthChange:
      let handle = try reader.connectionHandle()
      let transmit = try reader.uint16()
      try reader.skip(2)
      self = .leDataLengthChange(handle: handle, maxTXOctets: transmit, maxRXOctets: try reader.uint16())
    case .phyUpdateComplete:
      self = .lePHYUpdateComplete(
        status: try reader.status(), handle: try reader.connectionHandle(), txPHY: try reader.uint8(), rxPHY: try reader.uint8())
    case .longTermKeyRequest: self = .leLongTermKeyRequest(handle: try reader.connectionHandle())
    case .remoteConnectionParameterRequest:
      self = .leRemoteConnectionParameterRequest(
        handle: try reader.connectionHandle(),
        ConnectionParameterRange(
          intervalMinimum: try reader.uint16(), intervalMaximum: try reader.uint16(), latency: try reader.uint16(),
          timeout: try reader.uint16()))
    case .advertisingReport: self = .leAdvertisingReport(try AdvertisingReportList(parsing: &reader, extended: false))
    case .extendedAdvertisingReport: self = .leExtendedAdvertisingReport(try AdvertisingReportList(parsing: &reader, extended: true))
    default: self = .leMeta(subevent, parameters: reader.rest())
    }
  }
}

extension ByteReader {
  @_lifetime(self: copy self)
  mutating func status() throws(ParseError) -> HCIErrorCode { HCIErrorCode(rawValue: try uint8()) }
  @_lifetime(self: copy self)
  mutating func connectionHandle() throws(ParseError) -> ConnectionHandle { ConnectionHandle(try uint16() & 0x0FFF) }
}

/// `count(1) { handle(2) packets(2) }count` of Number Of Completed Packets (7.7.19).
public struct CompletedPacketsList: ~Escapable {
  var rest: RawSpan

  @_lifetime(copy reader)
  init(parsing reader: inout ByteReader) throws(ParseError) { rest = try reader.slice(4 * Int(try reader.uint8())) }

  /// The next pair, or `nil` at the end.
  @_lifetime(self: copy self)
  public mutating func next() -> (handle: ConnectionHandle, packets: UInt16)? {
    guard rest.byteCount >= 4 else { return nil }
    defer { rest = rest.suffix(from: 4) }
    return (ConnectionHandle(rest.uint16(at: 0) & 0x0FFF), rest.uint16(at: 2))
  }
}
