import CaptureFiles

/// Turns the records of a capture into links, ATT transactions and attribute databases, in one pass.
///
/// A link is told by adapter, connection handle and epoch: each completed connection opens a new one. Nothing that a record
/// holds stops it; what does not fit becomes a finding. It is one value, for one record is to cost no access check.
struct ReconstructionCore {
  var states: [LinkState] = []
  var open = OpenLinks()
  var implicit = ImplicitLinks()
  var advertiserTable = AdvertiserTable()
  var air = AirTraffic()
  var airConnections = AirConnections()
  var log = FindingLog()
  var identities = IdentityTable()
  private let observer: (any ATTObserver)?
  private let keepsTraffic: Bool
  private(set) var last: LinkState.Context
  private(set) var failedConnections: [FailedConnection] = []
  private(set) var strayDisconnections: [StrayDisconnection] = []

  /// `observer` gets every ATT PDU. `identityResolvingKeys`, 16 bytes each and the most significant octet first, are known besides
  /// those that the records tell.
  init(identityResolvingKeys: [[UInt8]], observer: (any ATTObserver)?, keepsTraffic: Bool) {
    (self.observer, self.keepsTraffic) = (observer, keepsTraffic)
    for key in identityResolvingKeys { identities.add(key, nil) }
    let never = CaptureTime(seconds: 0, nanoseconds: 0)
    last = LinkState.Context(frame: 0, time: never, recordedTime: never)
  }

  mutating func add(_ record: borrowing CaptureRecord) {
    last = LinkState.Context(frame: record.number, time: record.time, recordedTime: record.recordedTime)
    switch record.kind {
    case .aclData: addACL(record)
    case .event: addEvent(record)
    case .command: addCommand(record)
    case .linkLayer: addAir(record)
    case .synchronousData, .isochronousData, .adapter, .note, .transport, .unknown: break
    }
  }

  mutating func finish() {
    finishAir()
    for index in states.indices where states[index].link.endFrame == nil { states[index].finish(last, log: &log) }
    open = OpenLinks()
    implicit.closeAll(log: &log)
    identities.resolve(&states, log: &log)
  }

  private mutating func addACL(_ record: borrowing CaptureRecord) {
    guard let packet = try? ACLDataView(parsing: record.bytes) else {
      log.add(
        .cutPacket, .warning, frame: record.number, "\(record.bytes.byteCount) bytes are left of an ACL packet, fewer than its header")
      return
    }
    if !record.isTruncated, packet.data.byteCount < packet.length {
      log.add(
        .malformedPacket, .warning, frame: record.number,
        "an ACL packet tells \(packet.length) bytes and has \(packet.data.byteCount): it is taken as cut")
    }
    guard let index = open.find(record.adapter, packet.handle) else { return addStray(packet, record) }
    if packet.boundary == .complete {
      log.add(.unusualBoundary, .note, frame: record.number, "packet boundary flag 3, which LE links do not use, is taken as a start")
    }
    states[index].add(
      L2CAPFragment(packet), sent: record.direction == .hostToController,
      last, log: &log)
  }

  /// Data on a handle that no event opened: a connection that is older than the capture, or none.
  private mutating func addStray(_ packet: borrowing ACLDataView, _ record: borrowing CaptureRecord) {
    guard packet.handle.rawValue != ImplicitLinks.vendorHandle else {
      return log.add(.vendorTraffic, .note, frame: record.number, "vendor debug data on handle \(packet.handle)")
    }
    guard
      let (role, held) = implicit.add(
        L2CAPFragment(packet), sent: record.direction == .hostToController, adapter: record.adapter, .handle(packet.handle), last,
        log: &log),
      let first = held.first
    else { return }
    log.add(
      .implicitLink, .note, frame: first.context.frame,
      "link \(states.count + 1): handle \(packet.handle) was connected before the capture begins; that the captured host is the \(role) "
        + "follows from its attribute traffic, its peer and MTU are not known")
    begin(
      packet.handle,
      Link(
        index: 0, adapter: record.adapter, connection: .handle(packet.handle), isLowEnergy: true, localRole: role, peer: .unknown,
        isImplicit: true,
        startFrame: first.context.frame, start: first.context.time, interval: 0, latency: 0, timeout: 0, initialInterval: 0,
        initialLatency: 0, initialTimeout: 0, lastActivity: first.context.time))
    replay(held, states.count - 1)
  }

  /// Hands what was held back to the link that it proved.
  mutating func replay(_ held: [ImplicitLinks.Held], _ index: Int) {
    for part in held {
      let fragment = L2CAPFragment(isStart: part.isStart, data: part.bytes.byteSpan, missing: part.missing)
      states[index].add(fragment, sent: part.sent, part.context, log: &log)
    }
  }

  private mutating func addCommand(_ record: borrowing CaptureRecord) {
    do {
      switch try HCICommandView(parsing: record.bytes) {
      case .reset: closeAll(adapter: record.adapter, frame: record.number, time: record.time)
      case .leEnableEncryption(let handle):
        if let index = open.find(record.adapter, handle) { states[index].beginEncryption(by: .central, last) }
      case .leLongTermKeyRequestNegativeReply(let handle):
        if let index = open.find(record.adapter, handle) {
          states[index].endEncryption(.failure(UInt16(HCIErrorCode.pinOrKeyMissing.rawValue)), last)
        }
      case .leRemoteConnectionParameterRequestReply(let handle):
        if let index = open.find(record.adapter, handle) { states[index].answerParameters(.success, last) }
      case .leRemoteConnectionParameterRequestNegativeReply(let handle, let reason):
        if let index = open.find(record.adapter, handle) { states[index].answerParameters(.failure(UInt16(reason.rawValue)), last) }
      case .leAddDeviceToResolvingList(let peer, let key): identities.add(key.array.reversed(), peer)
      default: break
      }
    } catch { noteMalformed(error, record) }
  }

  private mutating func addEvent(_ record: borrowing CaptureRecord) {
    let (frame, time, adapter) = (record.number, record.time, record.adapter)
    do {
      switch try HCIEventView(parsing: record.bytes) {
      case .leConnectionComplete(let complete): connect(complete, frame: frame, time: time, adapter: adapter)
      case .connectionComplete(let status, let handle, let peer, let linkType):
        // Synchronous connections (link type 0) carry no data of ours.
        if status == .success, linkType == 1 {
          begin(
            handle,
            Link(
              index: 0, adapter: adapter, connection: .handle(handle), isLowEnergy: false, localRole: .central, peer: peer,
              startFrame: frame,
              start: time, interval: 0, latency: 0, timeout: 0, initialInterval: 0, initialLatency: 0, initialTimeout: 0,
              lastActivity: time))
        }
      case .disconnectionComplete(let status, let handle, let reason):
        disconnect(StrayDisconnection(frame: frame, time: time, adapter: adapter, status: status, handle: handle, reason: reason))
      case .encryptionChange(let status, let handle, let enabled):
        guard let index = open.find(adapter, handle) else { break }
        if status == .success { states[index].link.isEncrypted = enabled != 0 }
        endEncryption(index, status, isOn: enabled != 0)
      case .encryptionKeyRefreshComplete(let status, let handle):
        if let index = open.find(adapter, handle) { endEncryption(index, status, isOn: true) }
      case .leLongTermKeyRequest(let handle):
        if let index = open.find(adapter, handle) { states[index].beginEncryption(by: .central, last) }
      case .leConnectionUpdateComplete(let status, let handle, let interval, let latency, let timeout):
        if status == .success, let index = open.find(adapter, handle) {
          states[index].update(ConnectionParameters(interval: interval, latency: latency, timeout: timeout), last)
        }
      case .leRemoteConnectionParameterRequest(let handle, let range):
        if let index = open.find(adapter, handle) { states[index].askParameters(range, by: states[index].link.peerRole, last) }
      case .lePHYUpdateComplete(let status, let handle, let sent, let received):
        if status == .success, let index = open.find(adapter, handle) {
          let phys = Self.byRole(states[index].link, LinkPHY(rawValue: sent), LinkPHY(rawValue: received))
          states[index].update(centralPHY: phys.central, peripheralPHY: phys.peripheral, last)
        }
      case .leDataLengthChange(let handle, let sent, let received):
        if let index = open.find(adapter, handle) {
          let lengths = Self.byRole(states[index].link, sent, received)
          states[index].update(centralLength: lengths.central, peripheralLength: lengths.peripheral, last)
        }
      case .leAdvertisingReport(var list), .leExtendedAdvertisingReport(var list):
        while list.next({ advertiserTable.add($0, data: $1, time: time) }) {}
      case .other(let code, _):
        if code == .vendor { log.add(.vendorTraffic, .note, frame: frame, "vendor event") }
      default: break
      }
    } catch { noteMalformed(error, record) }
  }

  /// Over BR/EDR keys are agreed on by the controllers, which tell nothing of it.
  private mutating func endEncryption(_ index: Int, _ status: HCIErrorCode, isOn: Bool) {
    guard states[index].link.isLowEnergy, isOn || status != .success else { return }
    states[index].endEncryption(status == .success ? .success : .failure(UInt16(status.rawValue)), last)
  }

  /// What the captured host sends and receives with, as the central's and the peripheral's.
  private static func byRole<Value>(_ link: Link, _ sent: Value, _ received: Value) -> (central: Value, peripheral: Value) {
    link.peerRole == .peripheral ? (sent, received) : (received, sent)
  }

  private mutating func noteMalformed(_ error: ParseError, _ record: borrowing CaptureRecord) {
    if record.isTruncated {
      log.add(.cutPacket, .note, frame: record.number, "an HCI packet was cut by the capture (\(error))")
    } else {
      log.add(.malformedPacket, .warning, frame: record.number, "an HCI packet that the specification does not allow (\(error))")
    }
  }

  private mutating func connect(_ complete: LEConnectionComplete, frame: Int, time: CaptureTime, adapter: UInt16) {
    let role: LinkRole = complete.role == 1 ? .peripheral : .central
    guard complete.status == .success else {
      failedConnections.append(
        FailedConnection(
          frame: frame, time: time, adapter: adapter, status: complete.status, handle: complete.handle, localRole: role, peer: complete.peer
        ))
      return
    }
    let resolvable =
      complete.peerResolvable == 0 ? nil : BluetoothAddress(complete.peerResolvable, kind: .random)
    begin(
      complete.handle,
      Link(
        index: 0, adapter: adapter, connection: .handle(complete.handle), isLowEnergy: true, localRole: role, peer: complete.peer,
        peerResolvable: resolvable, startFrame: frame, start: time, interval: complete.interval, latency: complete.latency,
        timeout: complete.timeout, initialInterval: complete.interval, initialLatency: complete.latency, initialTimeout: complete.timeout,
        lastActivity: time))
  }

  private mutating func begin(_ handle: ConnectionHandle, _ new: Link) {
    if let old = open.find(new.adapter, handle) {
      log.add(
        .replacedLink, .warning, frame: new.startFrame,
        "handle \(handle) is connected again without the end of link \(states[old].link.index), which is taken as lost")
      end(old, frame: new.startFrame, time: new.start, reason: nil)
    }
    open.insert(states.count, new.adapter, handle)
    append(new)
  }

  /// Adds a link behind all others.
  mutating func append(_ new: Link) {
    implicit.close(new.adapter, new.connection, log: &log)
    var link = new
    link.index = states.count + 1
    states.append(LinkState(link, observer: observer, keepsTraffic: keepsTraffic))
  }

  private mutating func disconnect(_ event: StrayDisconnection) {
    if event.status == .success { implicit.close(event.adapter, .handle(event.handle), log: &log) }
    guard event.status == .success, let index = open.find(event.adapter, event.handle) else {
      strayDisconnections.append(event)
      return
    }
    end(index, frame: event.frame, time: event.time, reason: event.reason)
  }

  mutating func end(_ index: Int, frame: Int, time: CaptureTime, reason: HCIErrorCode?, after context: LinkState.Context? = nil) {
    states[index].finish(context ?? last, log: &log)
    (states[index].link.endFrame, states[index].link.end, states[index].link.endReason) = (frame, time, reason)
    if case .handle(let handle) = states[index].link.connection { open.remove(states[index].link.adapter, handle) }
  }

  /// Reset drops every connection of its controller without an event (Core 5.4, Vol 4, Part E, 7.3.2).
  private mutating func closeAll(adapter: UInt16, frame: Int, time: CaptureTime) {
    implicit.closeAll(adapter: adapter, log: &log)
    for index in open.all(adapter: adapter) {
      end(index, frame: frame, time: time, reason: nil)
    }
  }
}
