public import ReplayScenarios
import SessionReconstruction

/// Makes scenarios of the peripherals in a capture: one a peripheral, with a session for each of its links.
public struct ScenarioExtractor: Sendable {
  /// The name and version that scenarios carry as their origin.
  public static let tool = "understudy 0.1.0"

  /// A peripheral that a scenario can be made of.
  public struct Subject: Sendable, Hashable {
    /// Its address, or its identity where that is known; `nil` for the captured host's own peripheral, whose address the log does not tell.
    public var address: BluetoothAddress?
    public var adapter: UInt16
    /// The connection that is all that is known of it, where the capture begins inside one.
    public var implicitLink: Int?
    /// Its links' numbers in the listing.
    public var links: [Int]
  }

  private let recording: CaptureRecording
  private let keepsKeys: Bool
  /// Whether causes are also looked for by bytes that messages copy from requests.
  package var usesLabels = true

  /// Works on a capture that was read; `keepsKeys` puts the values of keys that were distributed in plain into the scenarios.
  public init(_ recording: CaptureRecording, keepsKeys: Bool = false) { (self.recording, self.keepsKeys) = (recording, keepsKeys) }

  /// Peripherals with at least one link that carries ATT or an app's data, or is paired on, in the order of their first link.
  public var subjects: [Subject] {
    var subjects: [Subject] = []
    // By what tells them apart: a subject without its links.
    var places: [Subject: Int] = [:]
    for link in recording.reconstruction.links where link.isLowEnergy || link.attPDUs > 0 {
      let address = link.peerRole == .peripheral && !link.isImplicit ? link.identity ?? link.peer : nil
      let implicitLink = link.peerRole == .peripheral && link.isImplicit ? link.index : nil
      let key = Subject(address: address, adapter: link.adapter, implicitLink: implicitLink, links: [])
      let place = places[key, default: subjects.count]
      if place == subjects.count {
        places[key] = place
        subjects.append(key)
      }
      subjects[place].links.append(link.index)
    }
    return subjects.filter { subject in subject.links.contains { recording.links[$0]?.isTelling ?? false } }
  }

  /// The attributes of a peripheral, as they were one after the other.
  func databases(of subject: Subject) -> [[Attribute]] { traffic(of: subject).history.databases }

  /// The scenario of one peripheral, or of some of its links.
  public func scenario(of subject: Subject) -> Scenario { outline(of: subject).scenario }

  /// The same with what another file tells of its attributes; throws where that contradicts the capture.
  public func scenario(of subject: Subject, sidecar: DatabaseSidecar) throws(SidecarError) -> Scenario {
    try outline(of: subject, sidecar: sidecar).scenario
  }

  /// The scenario in short, to be written without ever being whole in memory.
  public func outline(of subject: Subject) -> ScenarioOutline { outline(of: subject, traffic(of: subject)) }

  /// The same with what another file tells of its attributes; throws where that contradicts the capture.
  public func outline(of subject: Subject, sidecar: DatabaseSidecar) throws(SidecarError) -> ScenarioOutline {
    var traffic = traffic(of: subject)
    try traffic.history.add(sidecar, capture: recording.reconstruction.file)
    return outline(of: subject, traffic)
  }

  /// The one of several files' devices that is this peripheral; throws where none of them can be.
  public func sidecar(for subject: Subject, among sidecars: [DatabaseSidecar]) throws(SidecarError) -> DatabaseSidecar {
    try sidecars.choose(for: subject.address, hash: traffic(of: subject).history.databases.last.flatMap(DatabaseSidecar.hash))
  }

  /// What the links of a peripheral tell of its attributes, and their entries.
  private struct Traffic: Sendable {
    var history = DatabaseHistory()
    var builders: [Int: EntryBuilder] = [:]
  }

  private func traffic(of subject: Subject) -> Traffic {
    var traffic = Traffic()
    let links = links(of: subject)
    let builders = links.concurrentMap { [recording] link in
      recording.links[link.index].map { EntryBuilder($0, mtu: SessionOutline.mtu(atStartOf: link, $0)) }
    }
    for (link, builder) in zip(links, builders) {
      traffic.history.add(link, builder)
      traffic.builders[link.index] = builder
    }
    return traffic
  }

  private func outline(of subject: Subject, _ traffic: Traffic) -> ScenarioOutline {
    let links = links(of: subject)
    let databases = traffic.history.databases
    let configurations = databases.map(\.configurations)
    let attributes = databases.last ?? []
    var outline = ScenarioOutline(
      frame: Scenario(
        origin: Origin(
          file: String(recording.reconstruction.file.split(separator: "/").last ?? ""), time: links.first?.start.iso8601,
          capturedAt: links.first.map(Self.side), tool: Self.tool), database: databases.first ?? [],
        laterDatabases: Array(databases.dropFirst())))
    var device = self.device(subject, links, attributes)
    let silences = LinkEnding.areForSilence(links.map { LinkEnding($0, traffic.builders[$0.index]?.recording) })
    var isBonded = false
    let sessions = Array(zip(links, silences)).concurrentMap { [usesLabels, keepsKeys] link, isSilent in
      SessionOutline(
        link, traffic.builders[link.index], traffic.history.courses[link.index] ?? DatabaseHistory.Course(start: 1), configurations,
        usesLabels: usesLabels, endsForSilence: isSilent, keepsKeys: keepsKeys)
    }
    for (link, var session) in zip(links, sessions) {
      if let address = link.usedAddress, address != subject.address, subject.address != nil {
        session.frame.address = address
        if !device.addresses.contains(address) { device.addresses.append(address) }
      }
      session.frame.bonded = link.isBonded || isBonded
      isBonded = isBonded || (link.pairingOutcome == .success && link.pairing?.isBonding ?? false)
      device.sendsUnsubscribed = device.sendsUnsubscribed || session.tellsUnsubscribed
      device.mtu = max(device.mtu, session.grantedMTU)
      outline.sessions.append(session)
    }
    outline.frame.device = device
    outline.compareWrites()
    return outline
  }

  /// The links of a peripheral, in order.
  private func links(of subject: Subject) -> [Link] {
    let all = recording.reconstruction.links
    return Set(subject.links).sorted().compactMap { all.indices.contains($0 - 1) ? all[$0 - 1] : nil }
  }

  private func device(_ subject: Subject, _ links: [Link], _ attributes: [Attribute]) -> Device {
    var device = Device(address: subject.address)
    let addresses = subject.address == nil ? [] : links.flatMap { [$0.identity, $0.usedAddress, $0.peer] }
    if let heard = ([subject.address] + addresses).lazy.compactMap({ $0.flatMap { recording.reconstruction.advertisers[$0] } }).first {
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

  /// Whether a peripheral has this address, or had it on one of its links.
  public func has(_ address: BluetoothAddress, _ subject: Subject) -> Bool {
    guard let own = subject.address else { return false }
    return own.value == address.value || links(of: subject).contains { $0.usedAddress?.value == address.value }
  }

  /// Where a link was captured.
  private static func side(_ link: Link) -> Origin.Side {
    switch link.localRole {
    case .central: .central
    case .peripheral: .peripheral
    case nil: .air
    }
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
}
