public import CaptureFiles

/// Turns the records of a capture into links, ATT transactions and attribute databases, in one pass.
///
/// A link is told by adapter, connection handle and epoch: each completed connection opens a new one. Nothing that a record
/// holds stops it; what does not fit becomes a finding.
public final class SessionReconstructor {
  private var states: [LinkState] = []
  private var open = OpenLinks()
  private var advertiserTable = AdvertiserTable()
  private var log = FindingLog()
  private let observer: (any ATTObserver)?
  private var lastRecord = (number: 0, time: CaptureTime(seconds: 0, nanoseconds: 0))

  public private(set) var failedConnections: [FailedConnection] = []
  public private(set) var strayDisconnections: [StrayDisconnection] = []
  private var counts = (commands: 0, events: 0, acl: 0, synchronous: 0, isochronous: 0)

  /// `observer` gets every ATT PDU.
  public init(observer: (any ATTObserver)? = nil) { self.observer = observer }

  /// Links in the order of connection.
  public var links: [Link] { states.map(\.link) }
  /// HCI packets seen, by kind.
  public var packetCounts: [CaptureRecord.Kind: Int] {
    let all: [(CaptureRecord.Kind, Int)] = [
      (.command, counts.commands), (.event, counts.events), (.aclData, counts.acl), (.synchronousData, counts.synchronous),
      (.isochronousData, counts.isochronous),
    ]
    return Dictionary(uniqueKeysWithValues: all.filter { $0.1 > 0 })
  }
  /// Advertisers by address.
  public var advertisers: [BluetoothAddress: Advertiser] { advertiserTable.advertisers }
  /// What was found above the container.
  public var findings: FindingLog { log }

  /// Takes the next record.
  public func add(_ record: borrowing CaptureRecord) {
    lastRecord = (record.number, record.time)
    switch record.kind {
    case .aclData:
      counts.acl += 1
      addACL(record)
    case .event:
      counts.events += 1
      addEvent(record)
    case .command:
      counts.commands += 1
      addCommand(record)
    case .synchronousData: counts.synchronous += 1
    case .isochronousData: counts.isochronous += 1
    case .adapter, .note, .unknown: break
    }
  }

  /// Ends what is still open; call it after the last record.
  public func finish() {
    for state in states where state.link.endFrame == nil {
      state.finish(frame: lastRecord.number, time: lastRecord.time, log: &log, observer: observer)
    }
    open = OpenLinks()
  }

  private func addACL(_ record: borrowing CaptureRecord) {
    guard let packet = try? ACLDataView(parsing: record.bytes) else {
      log.add(.cutPacket, .warning, frame: record.number, "\(record.bytes.byteCount) bytes are left of an ACL packet, fewer than its header")
      return
    }
    if !record.isTruncated, packet.data.byteCount < packet.length {
      log.add(
        .malformedPacket, .warning, frame: record.number,
        "an ACL packet tells \(packet.length) bytes and has \(packet.data.byteCount): it is taken as cut")
    }
    guard let state = open.find(record.adapter, packet.handle) else {
      // Qualcomm's debug log comes as ACL data on a handle that no connection has.
      if packet.handle.rawValue == 0x0EDC {
        log.add(.vendorTraffic, .note, frame: record.number, "vendor debug data on handle \(packet.handle)")
      } else {
        log.add(.noConnection, .note, frame: record.number, "ACL data on handle \(packet.handle), whose connection the capture does not show")
      }
      return
    }
    if packet.boundary == .complete {
      log.add(.unusualBoundary, .note, frame: record.number, "packet boundary flag 3, which LE links do not use, is taken as a start")
    }
    state.add(packet, record: record, log: &log, observer: observer)
  }

  private func addCommand(_ record: borrowing CaptureRecord) {
    do {
      switch try HCICommandView(parsing: record.bytes) {
      case .reset: closeAll(adapter: record.adapter, frame: record.number, time: record.time)
      default: break
      }
    } catch { noteMalformed(error, record) }
  }

  private func addEvent(_ record: borrowing CaptureRecord) {
    let (frame, time, adapter) = (record.number, record.time, record.adapter)
    do {
      switch try HCIEventView(parsing: record.bytes) {
      case .leConnectionComplete(let complete): connect(complete, frame: frame, time: time, adapter: adapter)
      case .connectionComplete(let status, let handle, let peer, let linkType):
        // Synchronous connections (link type 0) carry no data of ours.
        if status == .success, linkType == 1 {
          begin(
            Link(
              index: 0, adapter: adapter, handle: handle, isLowEnergy: false, localRole: .central, peer: peer, startFrame: frame,
              start: time, interval: 0, latency: 0, timeout: 0, initialInterval: 0, initialLatency: 0, initialTimeout: 0,
              lastActivity: time))
        }
      case .disconnectionComplete(let status, let handle, let reason):
        disconnect(StrayDisconnection(frame: frame, time: time, adapter: adapter, status: status, handle: handle, reason: reason))
      case .encryptionChange(let status, let handle, let enabled):
        if status == .success, let state = open.find(adapter, handle) { state.link.isEncrypted = enabled != 0 }
      case .leConnectionUpdateComplete(let status, let handle, let interval, let latency, let timeout):
        if status == .success, let state = open.find(adapter, handle) {
          (state.link.interval, state.link.latency, state.link.timeout) = (interval, latency, timeout)
        }
      case .leAdvertisingReport(var list), .leExtendedAdvertisingReport(var list):
        while list.next({ advertiserTable.add($0, data: $1, time: time) }) {}
      case .other(let code, _):
        if code == .vendor { log.add(.vendorTraffic, .note, frame: frame, "vendor event") }
      default: break
      }
    } catch { noteMalformed(error, record) }
  }

  private func noteMalformed(_ error: ParseError, _ record: borrowing CaptureRecord) {
    if record.isTruncated {
      log.add(.cutPacket, .note, frame: record.number, "an HCI packet was cut by the capture (\(error))")
    } else {
      log.add(.malformedPacket, .warning, frame: record.number, "an HCI packet that the specification does not allow (\(error))")
    }
  }

  private func connect(_ complete: LEConnectionComplete, frame: Int, time: CaptureTime, adapter: UInt16) {
    let role: LinkRole = complete.role == 1 ? .peripheral : .central
    guard complete.status == .success else {
      failedConnections.append(
        FailedConnection(
          frame: frame, time: time, adapter: adapter, status: complete.status, handle: complete.handle, localRole: role, peer: complete.peer))
      return
    }
    let resolvable =
      complete.peerResolvable == 0 ? nil : BluetoothAddress(complete.peerResolvable, kind: .random)
    begin(
      Link(
        index: 0, adapter: adapter, handle: complete.handle, isLowEnergy: true, localRole: role, peer: complete.peer,
        peerResolvable: resolvable, startFrame: frame, start: time, interval: complete.interval, latency: complete.latency,
        timeout: complete.timeout, initialInterval: complete.interval, initialLatency: complete.latency, initialTimeout: complete.timeout,
        lastActivity: time))
  }

  private func begin(_ new: Link) {
    if let old = open.find(new.adapter, new.handle) {
      log.add(
        .replacedLink, .warning, frame: new.startFrame,
        "handle \(new.handle) is connected again without the end of link \(old.link.index), which is taken as lost")
      end(old, frame: new.startFrame, time: new.start, reason: nil)
    }
    let state = LinkState(new)
    state.link.index = states.count + 1
    states.append(state)
    open.insert(state)
  }

  private func disconnect(_ event: StrayDisconnection) {
    guard event.status == .success, let state = open.find(event.adapter, event.handle) else {
      strayDisconnections.append(event)
      return
    }
    end(state, frame: event.frame, time: event.time, reason: event.reason)
  }

  private func end(_ state: LinkState, frame: Int, time: CaptureTime, reason: HCIErrorCode?) {
    state.finish(frame: frame, time: time, log: &log, observer: observer)
    (state.link.endFrame, state.link.end, state.link.endReason) = (frame, time, reason)
    open.remove(state)
  }

  /// Reset drops every connection of its controller without an event (Core 5.4, Vol 4, Part E, 7.3.2).
  private func closeAll(adapter: UInt16, frame: Int, time: CaptureTime) {
    for state in open.all(adapter: adapter) {
      end(state, frame: frame, time: time, reason: nil)
    }
  }
}
