import CaptureFiles
import Foundation
import ReplayScenarios
import ScenarioExtraction
import SessionReconstruction
import TestSupport
import Testing

/// Captures without what points to people and devices.
struct CaptureRedactionTests {
  @Test(arguments: Repository.captureNames, CaptureOutputFormat.allCases)
  func ownCaptures(name: String, format: CaptureOutputFormat) throws {
    let source = Array(try Data(contentsOf: URL(filePath: Repository.capture(name))))
    let recording = try CaptureRecording(bytes: source, file: name)
    let extractor = ScenarioExtractor(recording)
    let device = extractor.scenario(of: try #require(extractor.subjects.first)).device
    let address = try #require(device.address)
    let secrets = [(0..<6).map { UInt8(truncatingIfNeeded: address.value >> UInt64(8 * $0)) }, Array(try #require(device.name).utf8)]
    let once = try Redacting.redacted(source, format).bytes
    for secret in secrets {
      #expect(Redacting.holds(secret, Data(source)))
      #expect(!Redacting.holds(secret, Data(once)))
    }
    #expect(try Redacting.plays(once) == recording.reconstruction.links.reduce(0) { $0 + $1.attPDUs })
    #expect(try Redacting.redacted(once, format).bytes == once)
    #expect(try Redacting.redacted(source, format).bytes == once)
  }

  static let name = Array("Ada's Heart Strap Pro, the second".utf8)
  static let secret: [UInt8] = [0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6]
  static let key: [UInt8] = (1...16).map { $0 * 13 }

  private static func one(_ make: (inout CaptureBuilder) -> Void, datalink: BtsnoopDatalink = .hciUART) throws -> [UInt8] {
    var builder = CaptureBuilder(datalink: datalink)
    make(&builder)
    return try Redacting.redacted(builder.bytes, .btsnoop).bytes
  }

  static let reversedSecret = Array(secret.reversed())
  /// Commands and the parameters before an address.
  static let commands: [(UInt16, Int)] = [
    (0x0405, 0), (0x0409, 0), (0x0419, 0), (0x040C, 0), (0x0429, 0), (0x0434, 0), (0x2005, 0), (0x2006, 7), (0x200D, 6), (0x2011, 1),
    (0x2012, 1), (0x2027, 1), (0x2028, 1), (0x202B, 1), (0x2035, 1), (0x2036, 12), (0x2043, 3), (0x2044, 3), (0x204E, 1), (0x2085, 5),
  ]

  @Test(arguments: commands)
  func addressesInCommands(opcode: UInt16, before: Int) throws {
    let filler = [UInt8](repeating: 0x5A, count: before)
    let bytes = try Self.one { $0.command(opcode, filler + Self.secret + [UInt8](repeating: 0, count: 34) + [0x5A, 0x5A]) }
    #expect(!Redacting.holds(Self.secret, Data(bytes)))
    // What stands around it stays.
    #expect(Data(bytes).firstRange(of: Data([UInt8(before + 42)] + filler)) != nil && bytes.suffix(2) == [0x5A, 0x5A])
  }

  /// Events and the parameters before an address.
  static let events: [(UInt8, [UInt8])] = [
    (0x03, [0, 0x40, 0]), (0x04, []), (0x12, [0]), (0x16, []), (0x17, []), (0x31, []), (0x36, [0]), (0x3D, []), (0x07, [0]),
    (0x02, [1]), (0x22, [1]), (0x2F, [1]), (0x0E, [1, 0x09, 0x10, 0]), (0x0E, [1, 0x2B, 0x20, 0]), (0x3E, [0x01, 0, 0x40, 0, 0, 1]),
    (0x3E, [0x0A, 0, 0x40, 0, 0, 1]), (0x3E, [0x0A, 0, 0x40, 0, 0, 1] + [UInt8](repeating: 7, count: 12)),
    (0x3E, [0x0E, 0, 0x40, 0, 1, 1]), (0x3E, [0x13, 1, 1]), (0x3E, [0x0B, 1, 0, 1]), (0x3E, [0x02, 1, 0, 1]),
    (0x3E, [0x0D, 1, 0x13, 0, 1]),
  ]

  @Test(arguments: events)
  func addressesInEvents(code: UInt8, before: [UInt8]) throws {
    let rest = [UInt8](repeating: 0, count: 40)
    let bytes = try Self.one { $0.event(code, before + Self.secret + rest) }
    #expect(!Redacting.holds(Self.secret, Data(bytes)))
    // The two bits that tell what kind of random address it is stay.
    #expect(bytes[bytes.count - 41] & 0xC0 == 0xC0)
    #expect(bytes.suffix(40) == rest[...])
  }

  /// Commands, events and pairing that carry keys, with what stands before one.
  @Test func keysEverywhere() throws {
    let filler = [UInt8](repeating: 0x5A, count: 7)
    let packets: [(inout CaptureBuilder) -> Void] = [
      { $0.command(0x201A, [0x40, 0] + Self.key) }, { $0.command(0x2019, [0x40, 0] + [UInt8](repeating: 1, count: 10) + Self.key) },
      { $0.command(0x2027, filler + Self.key + Self.key) }, { $0.command(0x040B, Array(filler.prefix(6)) + Self.key) },
      { $0.event(0x18, Array(filler.prefix(6)) + Self.key + [4]) }, { $0.command(0x0C11, [1] + Array(filler.prefix(6)) + Self.key) },
      { $0.event(0x15, [1] + Array(filler.prefix(6)) + Self.key) },
      { builder in
        for opcode in [3, 4, 6, 8, 10, 13] as [UInt8] { builder.acl(.host, CaptureBuilder.l2cap([opcode] + Self.key, channel: 6)) }
      },
      { builder in
        // In two packets, of which none has all of it.
        builder.connect()
        let pdu = CaptureBuilder.l2cap([8] + Self.key, channel: 6)
        builder.acl(.controller, Array(pdu.prefix(13)), boundary: 2)
        builder.acl(.controller, Array(pdu.dropFirst(13)), boundary: 1)
      },
    ]
    for (number, make) in packets.enumerated() {
      let bytes = try Self.one(make)
      #expect(!Redacting.holds(Self.key, Data(bytes)), "\(number)")
      #expect(
        !Redacting.holds(Array(Self.key.prefix(8)), Data(bytes)) && !Redacting.holds(Array(Self.key.suffix(8)), Data(bytes)), "\(number)")
    }
    // It goes wherever else it stands, too, in the other order.
    let elsewhere = try Self.one { builder in
      builder.connect()
      builder.att(.host, [0x12, 3, 0] + Self.key.reversed())
      builder.command(0x201A, [0x40, 0] + Self.key)
    }
    #expect(!Redacting.holds(Self.key, Data(elsewhere)))
  }

  /// A name that is read in parts, told in advertising and in fragments, and one too short to be looked for.
  @Test(arguments: [23, 64]) func namesInParts(mtu: Int) throws {
    let short = Array("Bo".utf8)
    var builder = CaptureBuilder()
    let ad = [UInt8(Self.name.count + 1), 9] + Self.name
    builder.event(0x3E, [0x02, 1, 0, 1] + [0x55, 0x44, 0x33, 0x22, 0x11, 0xC0] + [UInt8(ad.count)] + ad + [0xC4])
    builder.connect()
    if mtu > 23 {
      builder.att(.host, hex("02 4000"))
      builder.att(.controller, hex("03 4000"))
    }
    for (request, answer) in [
      ("08 0100 ffff 0328", [0x09, 7, 2, 0, 2, 3, 0, 0x00, 0x2A]), ("0a 0300", [0x0B] + Self.name.prefix(mtu - 1)),
    ] as [(String, [UInt8])] {
      builder.att(.host, hex(request))
      builder.att(.controller, answer, fragments: [13, 9])
    }
    if mtu == 23 {
      builder.att(.host, hex("0c 0300 1600"))
      builder.att(.controller, [0x0D] + Self.name[22...])
    }
    builder.att(.host, hex("08 0100 ffff 002a"))
    builder.att(.controller, [0x09, UInt8(short.count + 2), 3, 0] + short)
    builder.att(.host, hex("12 0300") + short)
    builder.att(.controller, [0x13])
    builder.disconnect()
    let bytes = try Redacting.redacted(builder.bytes, .btsnoop).bytes
    for start in 0..<(Self.name.count - 4) { #expect(!Redacting.holds(Array(Self.name[start..<(start + 5)]), Data(bytes)), "\(start)") }
    #expect(!Redacting.holds(short, Data(bytes)))
    #expect(try Redacting.plays(bytes) == 10)
    #expect(try Redacting.redacted(bytes, .btsnoop).bytes == bytes)
    // What is told of it fits together.
    let extractor = ScenarioExtractor(try CaptureRecording(bytes: bytes, file: "a"))
    #expect(extractor.scenario(of: try #require(extractor.subjects.first)).device.name == "Device -------------------------1")
  }

  /// A device that rotates its address is one device afterwards, too, and another one another.
  @Test func rotatedAddressesStayJoined() throws {
    let identity = BluetoothAddress(0xC012_3456_789A, kind: .random)
    let addresses = [
      BluetoothAddress.made(with: Self.key, 0x1234), .made(with: Self.key, 0x5678), .made(with: Self.key.reversed(), 0x1234),
    ]
    var builder = CaptureBuilder()
    builder.command(
      0x2027,
      [1] + (0..<6).map { UInt8(truncatingIfNeeded: identity.value >> UInt64(8 * $0)) } + Self.key.reversed()
        + [UInt8](repeating: 0, count: 16))
    for address in addresses {
      builder.connect(peer: address)
      builder.att(.host, hex("0a 0300"))
      builder.att(.controller, hex("0b 01"))
      builder.disconnect()
    }
    let once = try Redacting.redacted(builder.bytes, .btsnoop).bytes
    for address in addresses + [identity] {
      #expect(!Redacting.holds((0..<6).map { UInt8(truncatingIfNeeded: address.value >> UInt64(8 * $0)) }, Data(once)))
    }
    let links = try Reconstruction(bytes: once, file: "a").links
    #expect(links.map { $0.peer.randomKind } == [.resolvable, .resolvable, .resolvable] && Set(links.map(\.peer)).count == 3)
    #expect(links[0].identity != nil && links[0].identity == links[1].identity && links[2].identity == nil)
    #expect(links[0].identity?.randomKind == .staticRandom)
    #expect(try Redacting.redacted(once, .btsnoop).bytes == once)
    try Redacting.plays(once)
  }

  @Test func chosenValues() throws {
    var builder = CaptureBuilder()
    builder.connect()
    builder.att(.host, hex("10 0100 ffff 0028"))
    builder.att(.controller, hex("11 06 0100 0900 0d18"))
    builder.att(.host, hex("08 0100 0900 0328"))
    builder.att(.controller, hex("09 07 0200 10 0300 372a 0500 02 0600 382a"))
    for value in ["0048", "0049", "0048"] { builder.att(.controller, hex("1b 0300 " + value)) }
    builder.att(.host, hex("0a 0600"))
    builder.att(.controller, hex("0b 01"))
    let chosen = try Redacting.redacted(builder.bytes, .btsnoop, types: [BluetoothUUID(0x2A37 as UInt16)]).bytes
    let recording = try CaptureRecording(bytes: chosen, file: "a")
    let pdus = try #require(recording.links[1])
    let told = pdus.pdus.indices.filter { pdus.pdus[$0].opcode == .handleValueNotification }.map { pdus.bytes($0) }
    #expect(told == [hex("1b 0300 0100"), hex("1b 0300 0200"), hex("1b 0300 0100")])
    #expect(pdus.bytes(pdus.pdus.count - 1) == hex("0b 01"))
    let byHandle = try Redacting.redacted(builder.bytes, .btsnoop, handles: [AttributeHandle(6)]).bytes
    let other = try #require(try CaptureRecording(bytes: byHandle, file: "a").links[1])
    #expect(other.bytes(other.pdus.count - 3) == hex("1b 0300 0048") && other.bytes(other.pdus.count - 1) == hex("0b 01"))
  }

  /// Nobody knows what is in a vendor's packets, in text, in a phone's calls and contacts.
  @Test func whatNobodyKnowsGoes() throws {
    let private_ = Array("+49 171 5550199".utf8)
    var builder = CaptureBuilder()
    builder.command(0xFC01, Self.secret)
    builder.event(0xFF, [0x57] + private_)
    builder.event(0x03, [0, 0x0B, 0] + Self.secret + [1, 0])
    builder.acl(.controller, CaptureBuilder.l2cap(private_, channel: 0x0041), handle: 0x0B)
    builder.acl(.controller, CaptureBuilder.l2cap([0x02, 1, 4, 0, 1, 0, 0x41, 0], channel: 1), handle: 0x0B)
    builder.packet([0x0C, 0, 15] + private_, .synchronousData, .controller)
    builder.event(0x05, [0, 0x0B, 0, 0x13])
    let bytes = try Redacting.redacted(builder.bytes, .btsnoop).bytes
    #expect(!Redacting.holds(private_, Data(bytes)) && !Redacting.holds(Self.secret, Data(bytes)))
    #expect(Data(bytes).firstRange(of: Data([0x02, 1, 4, 0, 1, 0, 0x41, 0])) != nil)
    #expect(bytes.count == builder.bytes.count)
  }

  @Test(arguments: AirBuilder.Form.allCases)
  func packetsOnTheAir(form: AirBuilder.Form) throws {
    var air = AirBuilder(form)
    let ad = [UInt8(Self.name.count + 1), 9] + Self.name
    air.advertise(AdvertisingPDU(.undirected, .advertisement(advertiser: AirBuilder.peer, data: ad)))
    air.connect()
    for (request, answer) in [
      ("02 4000", hex("03 4000")), ("08 0100 ffff 0328", [0x09, 7, 2, 0, 2, 3, 0, 0x00, 0x2A]), ("0a 0300", [0x0B] + Self.name),
    ] as [(String, [UInt8])] {
      air.att(.central, hex(request))
      // Not heard by the other end, it is sent again.
      air.att(.peripheral, answer, size: 11, repeats: 2)
    }
    air.send(.control([0x02, 0x13]), from: .central)
    let bytes = try Redacting.redacted(air.bytes, .pcapng).bytes
    for address in [AirBuilder.peer, AirBuilder.phone] {
      #expect(!Redacting.holds((0..<6).map { UInt8(truncatingIfNeeded: address.value >> UInt64(8 * $0)) }, Data(bytes)))
    }
    for start in 0..<(Self.name.count - 4) { #expect(!Redacting.holds(Array(Self.name[start..<(start + 5)]), Data(bytes)), "\(start)") }
    // The checksums are right again: a reader that has nobody's word for it checks them.
    let before = try Reconstruction(bytes: air.bytes, file: "a"), after = try Reconstruction(bytes: bytes, file: "a")
    #expect(after.links.map(\.attPDUs) == before.links.map(\.attPDUs) && after.links.count == 1)
    #expect(after.air.damaged == 0)
    #expect(try Redacting.redacted(bytes, .pcapng).bytes == bytes)
    try Redacting.plays(bytes)
  }

  /// Whatever a packet claims, and wherever it is cut.
  /// Advertising data that is too long for one packet, cut at every place of a name.
  @Test func advertisingInParts() throws {
    let name = Self.name
    let data = [2, 1, 6, UInt8(name.count + 1), 9] + name + [7, 0xFF, 0x59, 0x00] + Self.secret.prefix(4)
    for cut in 4..<(data.count - 7) {
      let parts = [Array(data.prefix(cut)), Array(data.dropFirst(cut))]
      var builder = CaptureBuilder()
      for (place, part) in parts.enumerated() {
        let more: UInt8 = place == 0 ? 0x20 : 0
        let report = [0x0D, 1, more, 0, 1] + Self.reversedSecret + [1, 0, 3, 0x7F, 0xC0, 0, 0, 0] + [UInt8](repeating: 0, count: 6)
        builder.event(0x3E, report + [UInt8(part.count)] + part)
        builder.command(0x2037, [1, place == 0 ? 1 : 2, 0, UInt8(part.count)] + part)
        builder.event(0x3E, [0x0F, 7, 0, 0x7F, 0xC0, 0xFF, place == 0 ? 1 : 0, UInt8(part.count)] + part)
      }
      let bytes = try Redacting.redacted(builder.bytes, .btsnoop).bytes
      for piece in [name.prefix(max(6, cut - 5)), name.suffix(6)] { #expect(!Redacting.holds(Array(piece), Data(bytes)), "cut at \(cut)") }
      #expect(try Redacting.redacted(bytes, .btsnoop).bytes == bytes)
    }
  }

  /// A name that is read over an enhanced bearer, in K-frames of any length, each of them in packets of any length.
  @Test(arguments: [5, 7, 9, 40], [6, 9, 50])
  func valuesInFramesOfEnhancedBearers(frame: Int, packet: Int) throws {
    var builder = CaptureBuilder()
    builder.connect()
    builder.att(.host, hex("08 0100 ffff 0328"))
    builder.att(.controller, hex("09 07 0200 02 0300 002a"))
    builder.openEnhanced()
    func send(_ sender: CaptureBuilder.Sender, _ pdu: [UInt8]) {
      var sdu = [UInt8(pdu.count), 0] + pdu
      while !sdu.isEmpty {
        var bytes = CaptureBuilder.l2cap(Array(sdu.prefix(frame)), channel: sender == .host ? 0x50 : 0x40)
        sdu.removeFirst(min(frame, sdu.count))
        var isFirst = true
        while !bytes.isEmpty {
          builder.acl(sender, Array(bytes.prefix(packet)), boundary: isFirst ? (sender == .host ? 0 : 2) : 1)
          bytes.removeFirst(min(packet, bytes.count))
          isFirst = false
        }
      }
    }
    send(.host, hex("0a 0300"))
    send(.controller, [0x0B] + Self.name)
    send(.host, hex("0c 0300 0400"))
    send(.controller, [0x0D] + Self.name.dropFirst(4))
    builder.disconnect()
    let bytes = try Redacting.redacted(builder.bytes, .btsnoop).bytes
    let recording = try CaptureRecording(bytes: bytes, file: "a")
    let pdus = try #require(recording.links[1])
    let answers = pdus.pdus.indices.filter { [.readResponse, .readBlobResponse].contains(pdus.pdus[$0].opcode) }.map {
      Array(pdus.bytes($0))
    }
    #expect(answers.map(\.count) == [Self.name.count + 1, Self.name.count - 3])
    #expect(answers.first.map { Array($0.dropFirst(5)) } == answers.last.map { Array($0.dropFirst()) })
    for answer in answers {
      #expect(Data(answer).firstRange(of: Data("Heart".utf8)) == nil && Data(answer).firstRange(of: Data("second".utf8)) == nil)
    }
    #expect(try Redacting.redacted(bytes, .btsnoop).bytes == bytes)
  }

  /// Where a later database has another attribute at the handle of the name, that one stays.
  @Test func namesOfAnEarlierDatabase() throws {
    var builder = CaptureBuilder()
    builder.connect()
    builder.att(.host, hex("08 0100 ffff 0328"))
    builder.att(.controller, hex("09 07 0200 02 0300 002a"))
    builder.att(.host, hex("0a 0300"))
    builder.att(.controller, [0x0B] + Self.name.prefix(20))
    builder.disconnect()
    builder.connect()
    builder.att(.host, hex("08 0100 ffff 0328"))
    builder.att(.controller, hex("09 07 0100 12 0200 372a"))
    builder.att(.host, hex("04 0300 ffff"))
    builder.att(.controller, hex("05 01 0300 0229"))
    builder.att(.host, hex("12 0300 0100"))
    builder.att(.controller, hex("13"))
    builder.disconnect()
    let bytes = try Redacting.redacted(builder.bytes, .btsnoop).bytes
    let recording = try CaptureRecording(bytes: bytes, file: "a")
    let second = try #require(recording.links[2])
    #expect(second.pdus.indices.map { Array(second.bytes($0)) }.contains(hex("12 0300 0100")))
    #expect(!Redacting.holds(Array(Self.name.prefix(8)), Data(bytes)))
    try Redacting.plays(bytes)
  }

  @Test func cutAndHostilePackets() throws {
    var generator = SeededGenerator(seed: 77)
    var builder = CaptureBuilder()
    for (opcode, before) in Self.commands {
      for kept in 0...(before + 7) {
        builder.packet([UInt8(opcode & 0xFF), UInt8(opcode >> 8), 0xFF] + [UInt8](repeating: 0xFF, count: kept), .command, .host)
      }
    }
    for (code, before) in Self.events {
      for kept in 0...before.count { builder.packet([code, 0xFF] + before.prefix(kept), .event, .controller) }
      builder.packet([code, 0xFF] + before + [UInt8](repeating: 0xFF, count: 200), .event, .controller)
    }
    for _ in 0..<3000 {
      let bytes = (0..<Int.random(in: 0...60, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
      builder.packet(bytes, [.command, .event, .aclData, .synchronousData].randomElement(using: &generator) ?? .event, .controller)
    }
    let once = try Redacting.redacted(builder.bytes, .btsnoop).bytes
    #expect(once.count == builder.bytes.count)
    #expect(try Redacting.redacted(once, .btsnoop).bytes == once)
  }
}
