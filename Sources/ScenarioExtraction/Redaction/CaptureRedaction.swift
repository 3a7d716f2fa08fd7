import BLECrypto
public import ReplayScenarios
public import SessionReconstruction

/// Takes out of a capture what points to a person or a device, and nothing that a replay needs.
///
/// Addresses, names, keys and what keys are computed from, serial numbers and System IDs, the values that are chosen: each by a pseudonym
/// of the same length, wherever it stands, in both byte orders, also across packets. What vendors' packets, audio and the text between
/// packets hold is cleared or left out. UUIDs, handles, lengths and times stay.
public struct CaptureRedaction {
  private var pseudonyms: Pseudonyms
  private var edits: [Int: [ValueEdits.Edit]] = [:]
  /// What the checksum of a link's packets begins with, by access address.
  private var checksums: [UInt32: UInt32] = [:]
  private var parts = AdvertisingParts()
  /// Open BR/EDR links that carry no ATT, by adapter and handle.
  private var classic: Set<UInt32> = []
  /// The records that open a BR/EDR link with ATT.
  private var classicWithAttributes: Set<Int> = []
  /// The latest edited packets of each link on the air: what is sent again is edited again.
  private var latest: [UInt32: [(payload: [UInt8], edits: [ValueEdits.Edit])]] = [:]
  /// A hostile capture opens links without end.
  private static let checksumLimit = 10_000

  /// Learns what is secret in a capture, of which `open` makes a new reader whenever it is asked; `handles` and `types` choose values,
  /// as a scenario's redaction does.
  public init(handles: Set<AttributeHandle> = [], types: Set<BluetoothUUID> = [], _ open: () throws -> CaptureReader) throws {
    pseudonyms = Pseudonyms()
    var reader = try open()
    var (learnt, found, joined) = (pseudonyms, checksums, parts)
    try reader.forEachRecord { record in Self.learn(record, &learnt, &found, &joined) }
    (pseudonyms, checksums, parts) = (learnt, found, joined)
    let recording = try CaptureRecording(try open())
    let extractor = ScenarioExtractor(recording)
    let subjects = extractor.subjects.map { (links: $0.links, scenario: extractor.scenario(of: $0)) }
    for subject in subjects { ScenarioRedaction.learn(subject.scenario, into: &pseudonyms) }
    Self.keepResolvable(&pseudonyms, recording.reconstruction.identityResolvingKeys)
    let values = SecretValues(
      recording.reconstruction.links, subjects.flatMap { Self.databases(of: $0.links, $0.scenario) }, handles: handles, types: types)
    let editor = ValueEdits(values, pseudonyms)
    _ = try Reconstruction(try open(), observer: editor)
    editor.settle()
    (pseudonyms, edits) = (editor.pseudonyms, editor.edits)
    classicWithAttributes = Set(recording.reconstruction.links.filter { !$0.isLowEnergy && $0.attPDUs > 0 }.map(\.startFrame))
  }

  /// What a device's attributes were on each of its links: a handle that is a name's in one database is another's in the next.
  private static func databases(of links: [Int], _ scenario: Scenario) -> [(links: [Int], [[Attribute]])] {
    let sessions = Dictionary(scenario.sessions.compactMap { session in session.link.map { ($0, session) } }) { first, _ in first }
    return links.map { link in
      ([link], sessions[link].map { scenario.databaseNumbers(of: $0).map { scenario.database($0) } } ?? scenario.databases)
    }
  }

  // MARK: Learning

  private static func learn(
    _ record: borrowing CaptureRecord, _ pseudonyms: inout Pseudonyms, _ checksums: inout [UInt32: UInt32], _ parts: inout AdvertisingParts
  ) {
    guard let packet = record.air else {
      let fields = SecretFields.of(record)
      learn(record.bytes, fields, &pseudonyms)
      for field in fields.fields {
        guard let part = field.part else { continue }
        let bytes = record.bytes.extracting(field.bytes).array
        let whole = parts.add(part, bytes, adapter: record.adapter, record: record.number, start: field.bytes.lowerBound)
        if let whole { pseudonyms.learn(advertising: whole) }
      }
      return
    }
    learn(packet.pdu, SecretFields.air(packet), &pseudonyms)
    if packet.physicalChannel == .advertising, let view = try? AdvertisingPDUView(parsing: packet.pdu),
      case .connect(_, _, let data) = view.payload, checksums.count < checksumLimit
    {
      checksums[data.accessAddress.rawValue] = data.crcInit
    }
  }

  private static func learn(_ bytes: RawSpan, _ fields: SecretFields, _ pseudonyms: inout Pseudonyms) {
    for field in fields.fields {
      let part = bytes.extracting(field.bytes)
      switch field.kind {
      case .address: pseudonyms.address(address(part))
      case .name: pseudonyms.name(text(part))
      case .key: pseudonyms.key(part.array)
      // What more is to come of is learnt when it is there.
      case .advertising: if field.part?.isLast ?? true { pseudonyms.learn(advertising: part.array) }
      case .data, .opaque: break
      }
    }
  }

  private static func address(_ bytes: RawSpan) -> BluetoothAddress {
    BluetoothAddress(UInt64(bytes.uint32(at: 0)) | UInt64(bytes.uint16(at: 4)) << 32, kind: .random)
  }

  /// A name without the zeros that fill its field.
  private static func text(_ bytes: RawSpan) -> [UInt8] { Array(bytes.array.prefix { $0 != 0 }) }

  /// Makes the pseudonyms of addresses that a key resolves such as the key's own pseudonym resolves, so that one device stays one.
  private static func keepResolvable(_ pseudonyms: inout Pseudonyms, _ keys: [[UInt8]]) {
    let resolvers = keys.compactMap { key -> (old: AddressResolver, new: AddressResolver)? in
      let new = pseudonyms.replaced(key)
      guard let old = AddressResolver(key: key), let made = AddressResolver(key: new) else { return nil }
      return (old, made)
    }
    guard !resolvers.isEmpty else { return }
    pseudonyms.rename { original, pseudonym in
      let address = BluetoothAddress(original, kind: .random)
      guard let resolver = resolvers.first(where: { $0.old.resolves(address) }) else { return nil }
      // The number of the pseudonym goes where the address has its random part.
      let random = UInt32(0x42_0000) | UInt32(truncatingIfNeeded: pseudonym & 0xFFFF)
      return resolver.new.hash(random).map { UInt64(random) << 24 | UInt64($0) }
    }
  }

  // MARK: Replacing

  /// Gives the record with pseudonyms to `body`; tells whether there is one, since text between packets is left out.
  public mutating func redact(_ record: borrowing CaptureRecord, _ body: (borrowing CaptureRecord) -> Void) -> Bool {
    switch record.kind {
    case .note, .unknown: return false
    default: break
    }
    guard let packet = record.air else {
      follow(record)
      var bytes = record.bytes.array
      replace(
        &bytes, of: record.number, isOtherTraffic(record) ? Self.otherTraffic(record.bytes) : SecretFields.of(record),
        edits[record.number] ?? [], dataStart: 4
      )
      body(record.replacing(bytes: bytes.byteSpan, frame: bytes.byteSpan))
      return true
    }
    var pdu = packet.pdu.array
    let dataStart = (try? DataPDUView(parsing: packet.pdu))?.header.encodedByteCount ?? 2
    let original = Array(pdu.dropFirst(dataStart))
    replace(
      &pdu, of: record.number, SecretFields.air(packet), edits(of: record.number, packet.accessAddress, original), dataStart: dataStart)
    var frame = record.frame.array
    if let place = record.frame.byteOffsets(of: packet.pdu) {
      frame.replaceSubrange(place, with: pdu)
      let initial =
        packet.accessAddress == .advertising ? LinkLayerCRC.advertisingInitial : checksums[packet.accessAddress.rawValue]
      if let initial, let crc = packet.crc, LinkLayerCRC.of(packet.pdu, initial: initial) == crc, place.upperBound + 3 <= frame.count {
        let new = LinkLayerCRC.of(pdu.byteSpan, initial: initial)
        for octet in 0..<3 { frame[place.upperBound + octet] = UInt8(truncatingIfNeeded: new >> UInt32(8 * octet)) }
      }
    }
    body(record.replacing(bytes: frame.byteSpan, frame: frame.byteSpan))
    return true
  }

  /// Keeps in mind which links are of BR/EDR.
  private mutating func follow(_ record: borrowing CaptureRecord) {
    guard record.kind == .event, let event = try? HCIEventView(parsing: record.bytes) else { return }
    func key(_ handle: ConnectionHandle) -> UInt32 { UInt32(record.adapter) << 16 | UInt32(handle.rawValue) }
    switch event {
    case .connectionComplete(.success, let handle, _, _):
      if !classicWithAttributes.contains(record.number) { classic.insert(key(handle)) }
    case .leConnectionComplete(let complete): classic.remove(key(complete.handle))
    case .disconnectionComplete(_, let handle, _): classic.remove(key(handle))
    default: break
    }
  }

  /// Whether it carries a phone's contacts, music, or whatever else goes over BR/EDR.
  private func isOtherTraffic(_ record: borrowing CaptureRecord) -> Bool {
    guard record.kind == .aclData, !classic.isEmpty, let packet = try? ACLDataView(parsing: record.bytes) else { return false }
    return classic.contains(UInt32(record.adapter) << 16 | UInt32(packet.handle.rawValue))
  }

  /// All but signalling.
  private static func otherTraffic(_ bytes: RawSpan) -> SecretFields {
    var fields = SecretFields(count: bytes.byteCount)
    guard let packet = try? ACLDataView(parsing: bytes) else { return fields }
    let header = packet.boundary == .continuing ? nil : L2CAPHeader(parsing: packet.data)
    if header?.channel != .classicSignalling { fields.add(.opaque, from: header == nil ? 4 : 8) }
    return fields
  }

  /// The edits of a packet on the air; a repetition has those of what it repeats.
  private mutating func edits(of number: Int, _ accessAddress: AccessAddress, _ payload: [UInt8]) -> [ValueEdits.Edit] {
    guard let own = edits[number] else {
      return latest[accessAddress.rawValue]?.first { $0.payload == payload }?.edits ?? []
    }
    guard latest.count < Self.checksumLimit || latest[accessAddress.rawValue] != nil else { return own }
    let before = latest[accessAddress.rawValue] ?? []
    latest[accessAddress.rawValue] = before.suffix(3) + [(payload, own)]
    return own
  }

  /// Advertising data, as a part of the whole where it is one.
  private mutating func replaced(advertising data: [UInt8], record: Int, start: Int) -> [UInt8] {
    guard let (whole, part) = parts.whole(record, start: start, count: data.count) else { return pseudonyms.replaced(advertising: data) }
    let new = pseudonyms.replaced(advertising: whole)
    return part.upperBound <= new.count ? Array(new[part]) : data
  }

  private mutating func replace(
    _ bytes: inout [UInt8], of number: Int, _ fields: SecretFields, _ edits: [ValueEdits.Edit], dataStart: Int
  ) {
    let original = bytes
    for field in fields.fields {
      let part = Array(bytes[field.bytes])
      let new: [UInt8] =
        switch field.kind {
        case .address:
          pseudonyms.bytes(of: Self.address(part.byteSpan))
        case .name:
          { (name: [UInt8]) in pseudonyms.name(name) + part.dropFirst(name.count) }(Self.text(part.byteSpan))
        case .key: pseudonyms.key(part)
        case .advertising: replaced(advertising: part, record: number, start: field.bytes.lowerBound)
        case .data: pseudonyms.replaced(part)
        case .opaque: [UInt8](repeating: 0, count: part.count)
        }
      if new.count == part.count { bytes.replaceSubrange(field.bytes, with: new) }
    }
    for edit in edits {
      let start = dataStart + edit.offset
      guard start >= 0, start + edit.bytes.count <= bytes.count,
        edit.original.map({ original[start..<(start + $0.count)].elementsEqual($0) }) ?? true
      else { continue }
      bytes.replaceSubrange(start..<(start + edit.bytes.count), with: edit.bytes)
    }
  }
}
