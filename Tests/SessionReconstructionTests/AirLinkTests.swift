import SessionReconstruction
import TestSupport
import Testing

/// Links as sniffers of every kind hear them.
struct AirLinkTests {
  typealias Sender = AirBuilder.Sender
  /// A notification of 60 bytes: three packets of 27.
  static let long = hex("1b0500") + (0..<57).map { UInt8($0) }
  static let conversation: [(Sender, [UInt8])] = [
    (.central, hex("02f700")), (.peripheral, hex("03b900")), (.central, hex("120600 0100")), (.peripheral, hex("13")),
    (.peripheral, long), (.central, hex("0a0500")), (.peripheral, hex("0b 07")), (.peripheral, hex("1b0500 01")),
    (.peripheral, hex("1b0500 01")),
  ]

  static func traffic(_ form: AirBuilder.Form, _ build: (inout AirBuilder) -> Void) throws -> Traffic {
    var builder = AirBuilder(form)
    build(&builder)
    return try Traffic(builder.bytes)
  }

  static func talk(_ builder: inout AirBuilder, repeats: Int = 0) {
    for (sender, pdu) in conversation {
      builder.att(sender, pdu, repeats: repeats)
      builder.event()
    }
  }

  @Test(arguments: AirBuilder.Form.allCases)
  func aConversationIsFollowedToItsEnd(form: AirBuilder.Form) throws {
    let traffic = try Self.traffic(form) {
      $0.connect()
      $0.send(.control(hex("08 0000000000000000")), from: .central)
      $0.send(.control(hex("14 fb00 4808 fb00 4808")), from: .central)
      $0.send(.control(hex("15 4500 4808 3000 4808")), from: .peripheral)
      $0.send(.control(hex("18 02 02 1000")), from: .central)
      Self.talk(&$0)
      $0.send(.control(hex("00 01 0000 1800 0400 c800 2000")), from: .central)
      $0.send(.control(hex("02 13")), from: .central, repeats: 2)
    }
    let link = try #require(traffic.capture.links.first)
    #expect(traffic.capture.links.count == 1)
    #expect(link.connection == .air(AirBuilder.address))
    #expect((link.localRole, link.peer, link.isImplicit, link.startFrame) == (nil, AirBuilder.peer, false, 1))
    #expect((link.initialInterval, link.initialLatency, link.initialTimeout) == (36, 0, 42))
    #expect((link.interval, link.latency, link.timeout) == (24, 4, 200))
    #expect((link.endReason, link.mtu) == (.remoteUserTerminatedConnection, 185))
    let air = try #require(link.air)
    #expect((air.central, air.endedBy) == (AirBuilder.phone, .central))
    #expect(air.payload == .init(central: 69, peripheral: 48))
    #expect(air.phy == .init(central: 2, peripheral: 2))
    #expect(traffic.pdus.map(\.bytes) == Self.conversation.map(\.1))
    #expect(traffic.pdus.map(\.event.sender) == Self.conversation.map { $0.0 == .central ? .central : .peripheral })
    #expect(traffic.codes == [])
  }

  @Test(arguments: AirBuilder.Form.allCases)
  func whatIsRepeatedCountsOnce(form: AirBuilder.Form) throws {
    let traffic = try Self.traffic(form) {
      $0.connect()
      Self.talk(&$0, repeats: 2)
    }
    #expect(traffic.pdus.map(\.bytes) == Self.conversation.map(\.1))
    #expect(traffic.capture.links.first?.air?.repeated == 11 * 4)
    #expect(traffic.codes == [])
  }

  /// The same traffic with and without a direction gives the same links, PDUs and times (case B9).
  @Test func directionsAreFoundOut() throws {
    func read(_ form: AirBuilder.Form) throws -> [String] {
      let traffic = try Self.traffic(form) {
        $0.connect()
        Self.talk(&$0)
        // The peripheral is a client, too; the bits tell, the opcode would not.
        $0.att(.peripheral, hex("0a0300"))
        $0.att(.central, hex("0b 01"))
        $0.att(.central, hex("1b0900 02"))
        // The peripheral has no room for the next one, and asks for it again; from then on the bits are the other way round.
        $0.send(.init(.start, CaptureBuilder.l2cap(hex("0a0500"))), .central, nesn: $0.bit)
        $0.pass(300)
        $0.send(.empty, .peripheral, nesn: $0.bit)
        $0.pass(1700)
        $0.isTurned = true
        $0.att(.central, hex("0a0500"))
        $0.att(.peripheral, hex("0b 08"))
        $0.send(.control(hex("02 13")), from: .peripheral)
      }
      #expect(traffic.codes == [], "\(form)")
      return traffic.pdus.map { "\($0.event.frame) \($0.event.time) \($0.event.sender) \(Hexadecimal.encode($0.bytes))" }
        + traffic.capture.links.map { "\($0.start) \($0.end.map(\.description) ?? "") \(String(describing: $0.air?.endedBy))" }
    }
    let told = try read(.radioHeader)
    #expect(told.count == Self.conversation.count + 6)
    for form in AirBuilder.Form.allCases { #expect(try read(form) == told, "\(form)") }
  }

  @Test func aDirectionThatCannotBeIsFound() throws {
    let traffic = try Self.traffic(.nordic) {
      $0.connect()
      $0.send(.control(hex("03") + [UInt8](repeating: 0, count: 22)), from: .peripheral)
    }
    #expect(traffic.codes == [.directionConflict])
  }

  @Test(arguments: AirBuilder.Form.allCases)
  func aLostFragmentJoinsNothing(form: AirBuilder.Form) throws {
    for lost in 0..<3 {
      let traffic = try Self.traffic(form) {
        $0.connect()
        $0.att(.peripheral, Self.long, lost: [lost])
        $0.att(.peripheral, hex("1b0500 01"))
        $0.att(.peripheral, Self.long)
      }
      let whole = traffic.pdus.filter { $0.event.missing == 0 }.map(\.bytes)
      #expect(whole == [hex("1b0500 01"), Self.long], "\(form), \(lost)")
      #expect(traffic.pdus.allSatisfy { Self.long.starts(with: $0.bytes) || $0.event.missing == 0 })
      #expect(!traffic.codes.isEmpty)
    }
  }

  @Test(arguments: AirBuilder.Form.allCases)
  func aWrongChecksumIsNothing(form: AirBuilder.Form) throws {
    let traffic = try Self.traffic(form) {
      $0.connect(isDamaged: true)
      $0.connect()
      $0.event(.init(.start, CaptureBuilder.l2cap(hex("0a0500"))), damaged: [.central])
      Self.talk(&$0)
    }
    #expect(traffic.capture.links.map(\.startFrame) == [2])
    #expect(traffic.pdus.count == Self.conversation.count)
    #expect(traffic.capture.air.damaged == 2)
  }

  @Test func aCutRequestOpensNoneButItsPacketsDo() throws {
    let traffic = try Self.traffic(.bare) {
      $0.connect(kept: 30)
      Self.talk(&$0)
    }
    let link = try #require(traffic.capture.links.first)
    #expect(traffic.capture.links.count == 1)
    #expect((link.isImplicit, link.peer, link.connection) == (true, .unknown, .air(AirBuilder.address)))
    #expect(traffic.pdus.map(\.bytes) == Self.conversation.map(\.1))
    #expect(traffic.codes.contains(.implicitLink))
  }

  @Test(arguments: AirBuilder.Form.allCases)
  func silenceEndsALink(form: AirBuilder.Form) throws {
    let traffic = try Self.traffic(form) {
      $0.connect()
      Self.talk(&$0)
      $0.pass(3_000_000)
      $0.connect(AccessAddress(rawValue: 0x1234_5678))
      Self.talk(&$0)
      $0.pass(100_000)
      $0.connect(AccessAddress(rawValue: 0x2234_5678))
    }
    #expect(traffic.capture.links.map(\.endReason) == [.connectionTimeout, nil, nil])
    let first = try #require(traffic.capture.links.first)
    #expect(first.end?.nanoseconds(since: first.lastActivity) == 420_000_000)
    #expect(traffic.codes == [.silentLink, .replacedLink])
    #expect(traffic.pdus.map(\.event.link) == [Int](repeating: 1, count: 9) + [Int](repeating: 2, count: 9))
  }

  @Test func theEndOfTheCaptureShowsSilenceToo() throws {
    for (microseconds, reason) in [(400_000, nil), (500_000, HCIErrorCode.connectionTimeout)] as [(Int64, HCIErrorCode?)] {
      let traffic = try Self.traffic(.nordic) {
        $0.connect()
        Self.talk(&$0)
        $0.pass(microseconds)
        $0.advertise(.init(.undirected, .advertisement(advertiser: AirBuilder.peer, data: [])))
      }
      #expect(traffic.capture.links.map(\.endReason) == [reason])
    }
  }

  @Test func boardsAndLinksAreToldApart() throws {
    let traffic = try Self.traffic(.nordic) {
      let other = AccessAddress(rawValue: 0x1234_5678)
      $0.connect()
      $0.connect(other, peer: CaptureBuilder.otherPeer)
      for address in [AirBuilder.address, other] {
        $0.accessAddress = address
        $0.att(.central, hex("0a0500"))
        $0.att(.peripheral, hex("0b07"))
      }
    }
    #expect(traffic.capture.links.map(\.peer) == [AirBuilder.peer, CaptureBuilder.otherPeer])
    #expect(traffic.capture.links.map(\.attPDUs) == [2, 2])
  }

  @Test func linksOlderThanTheCaptureAreFollowed() throws {
    for form in AirBuilder.Form.allCases {
      let traffic = try Self.traffic(form) { Self.talk(&$0) }
      #expect(traffic.capture.links.map(\.isImplicit) == [true])
      #expect(traffic.pdus.map(\.bytes) == Self.conversation.map(\.1))
      #expect(traffic.pdus.first?.event.sender == .central)
      let alone = try Self.traffic(form) { $0.att(.central, hex("0a0500")) }
      #expect(alone.capture.links.isEmpty)
      #expect(alone.codes == [.noConnection])
    }
  }
}
