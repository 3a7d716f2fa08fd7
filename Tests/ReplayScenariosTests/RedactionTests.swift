import Foundation
import ReplayScenarios
import Testing

/// What points to a person or a device goes; what a replay needs stays.
struct RedactionTests {
  static let scenarios = ["heart-strap", "motion-stream", "serial-bridge", "thermo-logger"]
  static func scenario(_ name: String) throws -> Scenario {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return try Scenario.read(file: root.appending(path: "scenarios/\(name).json5").path)
  }

  /// The forms in which something can stand in a document: text, and hexadecimal in both byte orders.
  static func forms(_ bytes: [UInt8]) -> [String] {
    [bytes, bytes.reversed()].map { $0.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
  }

  static func addressForms(_ address: BluetoothAddress) -> [String] {
    let bytes = (0..<6).map { UInt8(truncatingIfNeeded: address.value >> UInt64(40 - 8 * $0)) }
    return forms(bytes) + [address.description.lowercased(), address.description.lowercased().replacing(":", with: "-")]
  }

  @Test(arguments: scenarios)
  func nothingOfTheOriginalsIsLeft(name: String) throws {
    var scenario = try Self.scenario(name)
    scenario.device.identifier = "6C1F93A2-0D4B-4E57-9B60-2F8A51C3D7E4"
    scenario.note = "Ada's strap"
    scenario.sessions[0].note = "Ada's session"
    scenario.sessions[0].entries[0].note = "Ada's entry"
    // The address in a value, in both byte orders, as devices tell it.
    let address = try #require(scenario.device.address)
    let own = (0..<6).map { UInt8(truncatingIfNeeded: address.value >> UInt64(8 * $0)) }
    scenario.sessions[0].entries.append(
      TimelineEntry(at: .seconds(100), action: .read(AttributeHandle(3)), answer: .value([9] + own + [8] + own.reversed())))
    var redaction = ScenarioRedaction()
    let redacted = redaction.redacted(scenario)
    let text = String(decoding: redacted.document(), as: UTF8.self).lowercased()
    let deviceName = try #require(scenario.device.name)
    for form in Self.addressForms(address) + Self.forms(Array(deviceName.utf8)) + [deviceName.lowercased(), "6c1f93a2", "ada's", "btsnoop"]
    {
      #expect(!text.contains(form), "\(form)")
    }
    #expect(redacted.origin?.redacted == true)
    #expect(redacted.device.address?.kind == address.kind)
    #expect(redacted.device.address?.randomKind == address.randomKind)
    // Lengths, handles, UUIDs and times are the same.
    #expect(redacted.device.name?.utf8.count == scenario.device.name?.utf8.count)
    #expect(redacted.database.map(\.handle) == scenario.database.map(\.handle))
    #expect(redacted.database.map(\.kind) == scenario.database.map(\.kind))
    #expect(redacted.database.map { $0.content?.count } == scenario.database.map { $0.content?.count })
    for (before, after) in zip(scenario.sessions, redacted.sessions) {
      #expect(before.entries.map(\.at) == after.entries.map(\.at))
      #expect(before.entries.map(\.anchor) == after.entries.map(\.anchor))
    }
    #expect(redacted.playable == scenario.playable)
    #expect(ScenarioDocument.problemCodes(redacted) == ScenarioDocument.problemCodes(scenario))
  }

  @Test(arguments: scenarios)
  func theSameResultTwiceAndAgain(name: String) throws {
    let scenario = try Self.scenario(name)
    var results: [[UInt8]] = []
    for input in [scenario, scenario] {
      var redaction = ScenarioRedaction()
      redaction.types = [BluetoothUUID(0x2A37 as UInt16), BluetoothUUID(0x2A19 as UInt16)]
      results.append(redaction.redacted(input).document())
    }
    #expect(results[0] == results[1])
    var again = ScenarioRedaction()
    again.types = [BluetoothUUID(0x2A37 as UInt16), BluetoothUUID(0x2A19 as UInt16)]
    let once = try ScenarioDocument(reading: results[0], file: "a").scenario
    #expect(again.redacted(once).document() == results[0])
  }

  /// Names and serial numbers of any length and of any bytes, in whatever form they were read.
  @Test(arguments: [Array("Bo".utf8), [0x7E], Array("Bob\u{1}\u{2}strap".utf8), [0xFF, 0xFE, 0x42, 0xC3], Array("Ada's Strap".utf8)])
  func secretValuesAreReplacedWhereverTheirAttributeIsRead(name: [UInt8]) throws {
    var scenario = try Self.scenario("heart-strap")
    let serial: [UInt8] = [0x51, 0x37, 0x58]
    func handle(_ number: UInt16) -> AttributeHandle { AttributeHandle(number) }
    scenario.database = [(0x02, 0x2A00, name), (0x04, 0x2A25, serial), (0x06, 0x2A19, [0x64])].map {
      Attribute(
        handle: handle($0.0), kind: .characteristic(uuid: BluetoothUUID($0.1 as UInt16), properties: 2, value: handle($0.0 + 1)),
        content: $0.2)
    }
    func counted(_ bytes: [UInt8]) -> [UInt8] { [UInt8(bytes.count), 0] + bytes }
    let exchanges: [(request: [UInt8], answer: [UInt8])] = [
      ([0x0E, 3, 0, 5, 0], [0x0F] + name + serial),
      ([0x20, 3, 0, 5, 0, 7, 0], [0x21] + counted(name) + counted(serial) + counted([0x64])),
      ([0x08, 1, 0, 0xFF, 0xFF, 0x00, 0x2A], [0x09, UInt8(name.count + 2), 3, 0] + name),
    ]
    scenario.sessions[0].entries = exchanges.map { TimelineEntry(at: .zero, action: .pdu($0.request), answer: .pdu($0.answer)) }
    scenario.sessions[0].entries += [
      TimelineEntry(at: .zero, action: .read(handle(3)), answer: .value(name)),
      TimelineEntry(at: .zero, action: .read(handle(5)), answer: .value(serial)),
      TimelineEntry(at: .zero, action: .write(handle(3), name), answer: .ok),
      TimelineEntry(at: .zero, action: .readBlob(handle(3), offset: 1), answer: .value(Array(name.dropFirst()))),
      TimelineEntry(at: .zero, action: .pdu([0x23, 7, 0] + counted([0x64]) + [5, 0] + counted(serial))),
    ]
    scenario.rules = [Rule(on: .read(handle(3)), answer: ValueTemplate(name))]
    var redaction = ScenarioRedaction()
    let redacted = redaction.redacted(scenario)
    let values = redacted.database.compactMap(\.content)
    #expect(values.map(\.count) == [name.count, 3, 1] && values[0] != name && values[1] != serial && values[2] == [0x64])
    let entries = redacted.sessions[0].entries
    for (entry, exchange) in zip(entries, exchanges) {
      // Requests stay, and so do the lengths in what they got.
      #expect(entry.action == .pdu(exchange.request))
      guard case .pdu(let answer)? = entry.answer else {
        Issue.record("no answer")
        continue
      }
      #expect(answer.count == exchange.answer.count && Data(answer).firstRange(of: Data(name)) == nil)
      #expect(Data(answer).firstRange(of: Data(serial)) == nil)
    }
    #expect(entries[1].answer == .pdu([0x21] + counted(values[0]) + counted(values[1]) + counted([0x64])))
    #expect(entries[2].answer == .pdu([0x09, UInt8(name.count + 2), 3, 0] + values[0]))
    #expect(entries[3].answer == .value(values[0]) && entries[4].answer == .value(values[1]))
    #expect(entries[5].action == .write(handle(3), values[0]))
    #expect(entries[6].answer == .value(Array(values[0].dropFirst())))
    #expect(entries[7].action == .pdu([0x23, 7, 0] + counted([0x64]) + [5, 0] + counted(values[1])))
    #expect(redacted.rules[0].answer == ValueTemplate(values[0]))
    var again = ScenarioRedaction()
    #expect(again.redacted(redacted).document() == redacted.document())
  }

  @Test func chosenValuesAndSerialsAreReplaced() throws {
    var scenario = try Self.scenario("heart-strap")
    let place = try #require(scenario.database.firstIndex { $0.handle == AttributeHandle(0x19) })
    scenario.database[place].kind = .characteristic(uuid: BluetoothUUID(0x2A25 as UInt16), properties: 2, value: AttributeHandle(0x1A))
    scenario.database[place].content = Array("SN-4711".utf8)
    var redaction = ScenarioRedaction()
    redaction.types = [BluetoothUUID(0x2A37 as UInt16)]
    redaction.handles = [AttributeHandle(0x14)]
    let redacted = redaction.redacted(scenario)
    #expect(redacted.database[place].content == Array("Value 1".utf8))
    for (before, after) in zip(scenario.sessions.flatMap(\.entries), redacted.sessions.flatMap(\.entries)) {
      switch (before.action, after.action) {
      case (.notify(let handle, let old), .notify(_, let new)) where handle == AttributeHandle(0x0C):
        #expect(old != new && old.count == new.count)
      case (.write(_, let old), .write(_, let new)): #expect(old == new)
      case (.read(let handle), _) where handle == AttributeHandle(0x14): #expect(before.answer != after.answer)
      default: break
      }
    }
  }

  /// Keys are worth nothing to a replay, and everything to an attacker; rotated addresses point to the device as its own does.
  @Test func keysAndRotatedAddressesGo() throws {
    let key: [UInt8] = Array(0x30...0x3F)
    var keys = PairingKeys()
    (keys.longTermKey, keys.identityResolvingKey, keys.signatureKey, keys.random) = (key, key, key, Array(key.prefix(8)))
    keys.identity = BluetoothAddress(0xC011_2233_4455, kind: .random)
    let features = PairingFeatures(io: .noInputNoOutput, authentication: [.bonding, .secureConnections])
    let pairing = Pairing(
      method: .justWorks, isSecureConnections: true, central: Pairing.End(features, sent: .identity, keys: keys),
      peripheral: Pairing.End(features, sent: [.identity, .signing], keys: keys))
    let rotated = [0x5A11_2233_4455, 0x6B11_2233_4455].map { BluetoothAddress($0, kind: .random) }
    let scenario = Scenario(
      device: Device(address: BluetoothAddress(0xC011_2233_4455, kind: .random), addresses: rotated),
      sessions: rotated.map { address in
        Session(
          address: address, bonded: true,
          entries: [
            TimelineEntry(at: .zero, action: .link(.pair(pairing)), answer: .ok),
            TimelineEntry(at: .zero, action: .link(.openChannel(L2CAPChannelOpening(channel: 1, psm: 0x80))), answer: .ok),
            TimelineEntry(at: .zero, action: .link(.channelData(channel: 1, [0x55, 0x44, 0x33, 0x22, 0x11, 0x5A]))),
          ])
      })
    var redaction = ScenarioRedaction()
    let redacted = redaction.redacted(scenario)
    let text = String(decoding: redacted.document(), as: UTF8.self).lowercased()
    for form in Self.forms(key) + Self.forms(Array(key.prefix(8)))
      + (rotated + [BluetoothAddress(0xC011_2233_4455, kind: .random)]).flatMap(Self.addressForms)
    {
      #expect(!text.contains(form), "\(form)")
    }
    guard case .link(.pair(let left)) = redacted.sessions[0].entries[0].action else { Issue.record("no pairing"); return }
    #expect(left.peripheral?.sent == [.identity, .signing] && left.method == .justWorks && left.central?.keys == nil)
    // The same address has the same pseudonym everywhere, and stays resolvable.
    #expect(redacted.sessions.map(\.address) == redacted.device.addresses)
    #expect(redacted.device.addresses.map(\.randomKind) == [.resolvable, .resolvable])
    #expect(redacted.sessions.map(\.bonded) == [true, true])
  }

  @Test func pseudonymsKeepTheirKind() {
    var pseudonyms = Pseudonyms()
    for (value, kind) in [
      (0xE35A_110C_7742, .random), (0x7A5A_110C_7742, .random), (0x0A5A_110C_7742, .random), (0x805A_110C_7742, .publicDevice),
    ] as [(UInt64, BluetoothAddress.Kind)] {
      let address = BluetoothAddress(value, kind: kind)
      let stand = pseudonyms.address(address)
      #expect(stand != address && stand.kind == address.kind && stand.randomKind == address.randomKind)
      #expect(pseudonyms.address(address) == stand)
      var others = Pseudonyms()
      #expect(others.address(stand) != address)
    }
    for value in [0, 0xFFFF_FFFF_FFFF] as [UInt64] {
      #expect(pseudonyms.address(BluetoothAddress(value, kind: .publicDevice)).value == value)
    }
    let text = pseudonyms.replaced(Array("at e3-5a-11-0c-77-42, E35A110C7742, E3:5A:11:0C:77:42".utf8))
    #expect(String(decoding: text, as: UTF8.self) == "at c2-00-00-00-00-01, C20000000001, C2:00:00:00:00:01")
    #expect(String(decoding: pseudonyms.name(Array("Ada's Heart Strap".utf8)), as: UTF8.self) == "Device ---------1")
    #expect(String(decoding: pseudonyms.name(Array("Bo".utf8)), as: UTF8.self) == "D1")
  }

  /// However many originals there are, a long value is gone through once.
  @Test func replacingIsLinear() {
    var pseudonyms = Pseudonyms()
    for number in 1...20_000 as ClosedRange<UInt64> { pseudonyms.address(BluetoothAddress(0xC0AA_0000_0000 | number, kind: .random)) }
    #expect(pseudonyms.replaced([UInt8](repeating: 0xC0, count: 100_000)).count == 100_000)
  }

  /// Names that all begin alike: the longest is the one that stands there.
  @Test func theLongestIsReplaced() {
    var pseudonyms = Pseudonyms()
    for length in 4...500 { pseudonyms.name([UInt8](repeating: 0x41, count: length) + [0x42]) }
    let data = [UInt8](repeating: 0x41, count: 20_000) + [0x42]
    let new = pseudonyms.replaced(data)
    #expect(new.count == data.count && new.prefix(19_500) == data.prefix(19_500) && !new.contains(0x42))
  }

  /// Pseudonyms of short names are used up, and come again; the second time all is as it was.
  @Test func manyShortNamesKeepTheirPseudonyms() {
    let names = (0..<300).map { [UInt8($0 & 0xFF)] } + (0..<40).map { Array("Strap \($0)".utf8) }
    var (first, second) = (Pseudonyms(), Pseudonyms())
    let once = names.map { first.name($0) }
    #expect(once.map { second.name($0) } == once)
  }

  /// What is over the limit of a hostile capture is counted no more, but is not left as it is either.
  @Test func nothingIsLeftOverTheLimit() {
    var pseudonyms = Pseudonyms()
    for number in 1...100_001 as ClosedRange<UInt64> { pseudonyms.address(BluetoothAddress(0xC0AA_0000_0000 | number, kind: .random)) }
    let last = BluetoothAddress(0xC0AA_0000_0000 | 200_000, kind: .random)
    #expect(pseudonyms.bytes(of: last).reversed() != [0xC0, 0xAA, 0x00, 0x03, 0x0D, 0x40])
    #expect(pseudonyms.address(last).randomKind == last.randomKind)
  }
}

extension ScenarioDocument {
  static func problemCodes(_ scenario: Scenario) -> [ScenarioProblem.Code] {
    ((try? ScenarioDocument(reading: scenario.document(), file: "a"))?.problems() ?? []).map(\.code)
  }
}
