public import ReplayScenarios
import SessionReconstruction

/// Makes scenarios of the peripherals in a capture: one a peripheral, with a session for each of its links.
public struct ScenarioExtractor {
  /// The name and version that scenarios carry as their origin.
  public static let tool = "understudy 0.1.0"

  /// A peripheral that a scenario can be made of.
  public struct Subject: Sendable, Hashable {
    /// Its address; `nil` for the captured host's own peripheral, whose address the log does not tell.
    public var address: BluetoothAddress?
    public var adapter: UInt16
    /// The connection that is all that is known of it, where the capture begins inside one.
    public var implicitLink: Int?
    /// Its links' numbers in the listing.
    public var links: [Int]
  }

  private let recording: CaptureRecording

  /// Works on a capture that was read.
  public init(_ recording: CaptureRecording) { self.recording = recording }

  /// Peripherals with at least one link that carries ATT, in the order of their first link.
  public var subjects: [Subject] {
    var subjects: [Subject] = []
    // By what tells them apart: a subject without its links.
    var places: [Subject: Int] = [:]
    for link in recording.reconstruction.links where link.isLowEnergy {
      let address = link.localRole == .central && !link.isImplicit ? link.peer : nil
      let implicitLink = link.localRole == .central && link.isImplicit ? link.index : nil
      let key = Subject(address: address, adapter: link.adapter, implicitLink: implicitLink, links: [])
      let place = places[key, default: subjects.count]
      if place == subjects.count {
        places[key] = place
        subjects.append(key)
      }
      subjects[place].links.append(link.index)
    }
    return subjects.filter { subject in subject.links.contains { recording.links[$0] != nil } }
  }

  /// The scenario of one peripheral, or of some of its links.
  public func scenario(of subject: Subject) -> Scenario {
    let all = recording.reconstruction.links
    let links = Set(subject.links).sorted().compactMap { all.indices.contains($0 - 1) ? all[$0 - 1] : nil }
    var database = DatabaseBuilder()
    var built: [Int: [EntryBuilder.Built]] = [:]
    for link in links {
      if let discovered = link.databases[.peripheral] { database.add(discovered) }
      guard let pdus = recording.links[link.index] else { continue }
      let entries = EntryBuilder(pdus, mtu: Self.mtu(atStartOf: link, pdus)).built
      database.add(entries)
      built[link.index] = entries
    }
    let attributes = database.attributes()
    let configurations = attributes.configurations
    var scenario = Scenario(
      origin: Origin(
        file: String(recording.reconstruction.file.split(separator: "/").last ?? ""), time: links.first?.start.iso8601,
        capturedAt: links.first?.localRole == .peripheral ? .peripheral : .central, tool: Self.tool), database: attributes)
    var device = self.device(subject, attributes)
    for link in links {
      let (session, tellsUnsubscribed) = self.session(link, built[link.index] ?? [], configurations, &device)
      device.sendsUnsubscribed = device.sendsUnsubscribed || tellsUnsubscribed
      scenario.sessions.append(session)
    }
    scenario.device = device
    return scenario
  }

  /// The ATT MTU at the beginning: where it was exchanged before the capture began, what the longest PDU tells of it.
  private static func mtu(atStartOf link: Link, _ recording: LinkRecording) -> Int {
    link.isImplicit && !recording.pdus.contains { $0.opcode == .exchangeMTUResponse } ? max(23, link.mtu) : 23
  }

  private func device(_ subject: Subject, _ attributes: [Attribute]) -> Device {
    var device = Device(address: subject.address)
    if let address = subject.address, let heard = recording.reconstruction.advertisers[address] {
      device.name = heard.name
      device.advertising = Advertising(
        data: heard.data, scanResponse: heard.scanResponse, connectable: true, rssi: heard.rssi == 127 ? -60 : Int(heard.rssi))
    }
    for attribute in attributes {
      if case .characteristic(let uuid, _, _) = attribute.kind, uuid.short == 0x2A00, let name = attribute.content, !name.isEmpty,
        device.name == nil
      {
        device.name = String(decoding: name, as: UTF8.self)
      }
    }
    if device.advertising == nil {
      // A phone that knew the device connects without having heard it; an app under test has to find it.
      device.advertising = Self.madeUp(name: device.name, attributes)
    }
    return device
  }

  private static func madeUp(name: String?, _ attributes: [Attribute]) -> Advertising {
    var structures = [AdvertisingData.Structure(type: 0x01, data: [0x06])]
    var room = 28
    for attribute in attributes {
      guard case .service(let uuid, true, _) = attribute.kind, uuid.short.map({ $0 != 0x1800 && $0 != 0x1801 }) ?? true else { continue }
      let bytes = uuid.shortened.wireBytes
      let type: UInt8 = bytes.count == 2 ? 0x02 : 0x06
      if let same = structures.firstIndex(where: { $0.type == type }), room >= bytes.count {
        structures[same].data += bytes
        room -= bytes.count
      } else if room >= bytes.count + 2 {
        structures.append(AdvertisingData.Structure(type: type, data: bytes))
        room -= bytes.count + 2
      }
    }
    let response = name.map { AdvertisingData(structures: [.init(type: 0x09, data: Array($0.utf8.prefix(29)))]).bytes }
    return Advertising(data: AdvertisingData(structures: structures).bytes, scanResponse: response, provenance: .inferred)
  }

  private func session(
    _ link: Link, _ built: [EntryBuilder.Built], _ configurations: [AttributeHandle: AttributeHandle], _ device: inout Device
  ) -> (Session, tellsUnsubscribed: Bool) {
    var session = Session(
      link: link.index, time: link.start.iso8601,
      parameters: link.isImplicit
        ? nil : ConnectionParameters(interval: link.initialInterval, latency: link.initialLatency, timeout: link.initialTimeout))
    session.complete = !link.isImplicit
    if let recording = recording.links[link.index] {
      session.mtu = Self.mtu(atStartOf: link, recording)
      // An app under test asks for its own, which the device has granted once.
      device.mtu = max(device.mtu, session.mtu)
    }
    if built.isEmpty, link.endReason == .connectionFailedToBeEstablished {
      session.failed = link.endReason
      return (session, false)
    }
    var entries = built
    if let recording = recording.links[link.index] {
      entries = AnchorFinder(built, recording: recording, configurations: configurations).anchored()
    }
    for entry in entries.map(\.entry) where entry.origin == .central {
      if case .exchangeMTU = entry.action, case .mtu(let granted)? = entry.answer { device.mtu = max(device.mtu, Int(granted)) }
    }
    if let end = ending(link, &entries) { entries.append(EntryBuilder.Built(entry: end, first: .max, completion: nil)) }
    session.entries = entries.map(\.entry)
    let tellsUnsubscribed = subscriptions(link, configurations, &session)
    return (session, tellsUnsubscribed)
  }

  /// The end of a link as an entry; `nil` where the capture ends first.
  private func ending(_ link: Link, _ entries: inout [EntryBuilder.Built]) -> TimelineEntry? {
    guard let end = link.end, let reason = link.endReason else { return nil }
    let last = recording.links[link.index]?.pdus.last?.time ?? -1
    let at = Duration.nanoseconds(max(end.nanoseconds(since: link.start), last + 1))
    switch Self.ender(of: link, reason) {
    case .central: return TimelineEntry(at: at, origin: .central, action: .disconnect(.connectionTerminatedByLocalHost))
    case .peripheral:
      // A central's host is told why the peripheral ended it, never 0x16.
      let seen = reason == .connectionTerminatedByLocalHost ? .remoteUserTerminatedConnection : reason
      return TimelineEntry(at: at, origin: .peripheral, action: .disconnect(seen), anchor: lastCause(before: at, &entries))
    case nil: return TimelineEntry(at: at, origin: .peripheral, action: .vanish, anchor: lastCause(before: at, &entries))
    }
  }

  /// The end that closed a link; `nil` where it was lost. What neither asked for counts as the peripheral's.
  private static func ender(of link: Link, _ reason: HCIErrorCode) -> LinkRole? {
    switch reason {
    case .connectionTimeout: nil
    // A host is told 0x16 for what it ended itself.
    case .connectionTerminatedByLocalHost: link.localRole
    // These a host gives for a reason when it ends a link, and the other end is told (Core 5.4, Vol 4, Part E, 7.1.6).
    case .remoteUserTerminatedConnection, .remoteDeviceLowResources, .remoteDevicePowerOff, .authenticationFailure,
      .unsupportedRemoteFeature, .pairingWithUnitKeyNotSupported, .unacceptableConnectionParameters:
      link.localRole.other
    default: .peripheral
    }
  }

  /// The last thing that was completed and that a replayed app has to do, too: not discovery or MTU.
  private func lastCause(before at: Duration, _ entries: inout [EntryBuilder.Built]) -> Anchor {
    var best: (entry: Int, completion: Int)?
    for (index, built) in entries.enumerated() {
      guard let completion = built.completion else { continue }
      switch built.entry.action {
      case .exchangeMTU, .pdu: continue
      default: if best.map({ $0.completion < completion }) ?? true { best = (index, completion) }
      }
    }
    guard let best else { return Anchor(.connection, delay: at) }
    let cause = entries[best.entry].entry
    let completion = cause.at + (cause.parts.last.map { $0.offset + $0.latency } ?? cause.latency ?? .zero)
    let id = cause.id ?? "e\(best.entry + 1)"
    entries[best.entry].entry.id = id
    return Anchor(.entry(id), delay: at - completion)
  }

  /// Follows the subscriptions of a session: values that a bonded central had set before, and whether the device told a value
  /// that nothing had subscribed to.
  private func subscriptions(_ link: Link, _ configurations: [AttributeHandle: AttributeHandle], _ session: inout Session) -> Bool {
    let descriptors = Dictionary(configurations.map { ($1, $0) }, uniquingKeysWith: min)
    var values: [AttributeHandle: UInt16] = [:]
    var written: Set<AttributeHandle> = []
    var tellsUnsubscribed = false
    for entry in session.entries {
      switch entry.action {
      case .write(let handle, let value):
        guard entry.origin == .central, configurations[handle] != nil, value.count == 2, entry.answer == .ok else { break }
        written.insert(handle)
        values[handle] = UInt16(value[0]) | UInt16(value[1]) << 8
      case .notify(let handle, _), .indicate(let handle, _):
        guard entry.origin == .peripheral, let descriptor = descriptors[handle] else { break }
        var bit: UInt16 = 1
        if case .indicate = entry.action { bit = 2 }
        guard values[descriptor, default: 0] & bit == 0 else { break }
        if link.isEncrypted, !written.contains(descriptor) {
          session.subscriptions[descriptor, default: 0] |= bit
          values[descriptor, default: 0] |= bit
        } else {
          tellsUnsubscribed = true
        }
      default: break
      }
    }
    return tellsUnsubscribed
  }
}
