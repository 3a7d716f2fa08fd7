import SessionReconstruction
import TestSupport
import Testing

struct LinkTests {
  @Test(arguments: [LEConnectionComplete.Form.legacy, .enhanced, .enhancedV2])
  func aLinkFromItsConnectionToItsEnd(form: LEConnectionComplete.Form) throws {
    let traffic = try Traffic {
      $0.connect(form: form)
      $0.att(.host, hex("0a0300"))
      $0.disconnect(reason: 0x08)
    }
    let link = try #require(traffic.capture.links.first)
    #expect(traffic.capture.links.count == 1)
    #expect((link.index, link.adapter, link.connection) == (1, 0, .handle(ConnectionHandle(0x40))))
    #expect(link.peer == CaptureBuilder.peer)
    #expect(link.localRole == .central)
    #expect((link.startFrame, link.endFrame) == (1, 3))
    #expect(link.endReason == .connectionTimeout)
    #expect(link.end?.nanoseconds(since: link.start) == 2_000_000)
    #expect((link.interval, link.latency, link.timeout) == (36, 0, 42))
    #expect(link.mtu == 23)
    #expect(link.attPDUs == 1)
    #expect(traffic.codes == [.unanswered])
  }

  @Test func threeLinksInterleaved() throws {
    let traffic = try Traffic {
      for handle in [0x40, 0x41, 0x80] as [UInt16] { $0.connect(handle) }
      for handle in [0x40, 0x80, 0x41] as [UInt16] { $0.att(.host, hex("0a0300"), handle: handle) }
      for handle in [0x41, 0x40, 0x80] as [UInt16] { $0.att(.controller, hex("0b") + [UInt8(handle)], handle: handle) }
      $0.disconnect(0x41)
      $0.att(.controller, hex("1b030001"), handle: 0x40)
    }
    #expect(traffic.pdus.map(\.event.link) == [1, 3, 2, 2, 1, 3, 1])
    #expect(traffic.pdus.map(\.event.answers) == [nil, nil, nil, 1, 1, 1, nil])
    #expect(traffic.pdus.map(\.event.attribute) == Array(repeating: AttributeHandle(3), count: 7))
    #expect(traffic.capture.links.map(\.attPDUs) == [3, 2, 2])
    #expect(traffic.capture.links.map(\.endFrame) == [nil, 10, nil])
    #expect(traffic.codes == [])
  }

  @Test func aFailedConnectionLeavesHandleZeroAlone() throws {
    let traffic = try Traffic {
      $0.connect(0)
      $0.connect(0, peer: CaptureBuilder.otherPeer, status: .unknownConnectionIdentifier)
      $0.disconnect(0, status: 0x02)
      $0.att(.host, hex("520300aa"), handle: 0)
      $0.disconnect(0)
    }
    #expect(traffic.capture.links.count == 1)
    #expect(traffic.texts == ["520300aa"])
    #expect(traffic.capture.links.first?.endFrame == 5)
    #expect(traffic.capture.failedConnections.map(\.status) == [.unknownConnectionIdentifier])
    #expect(traffic.capture.strayDisconnections.map(\.frame) == [3])
    #expect(traffic.codes == [])
  }

  @Test func theSameHandleAgainWithAnotherPeer() throws {
    let traffic = try Traffic {
      $0.connect()
      $0.att(.host, hex("0a0300"))
      $0.connect(peer: CaptureBuilder.otherPeer)
      $0.att(.controller, hex("0b01"))
      $0.disconnect()
    }
    #expect(traffic.capture.links.map(\.peer) == [CaptureBuilder.peer, CaptureBuilder.otherPeer])
    #expect(traffic.capture.links.map(\.endFrame) == [3, 5])
    #expect(traffic.capture.links.map(\.endReason) == [nil, .remoteUserTerminatedConnection])
    #expect(traffic.pdus.map(\.event.link) == [1, 2])
    #expect(traffic.pdus.map(\.event.answers) == [nil, nil])
    #expect(Set(traffic.codes) == [.replacedLink, .unanswered, .unpairedResponse])
  }

  @Test func peripheralRoleTurnsTheDirections() throws {
    let traffic = try Traffic {
      $0.connect(role: 1)
      $0.att(.controller, hex("0a0300"))
      $0.att(.host, hex("0b01"))
    }
    #expect(traffic.capture.links.map(\.localRole) == [.peripheral])
    #expect(traffic.pdus.map(\.event.sender) == [.central, .peripheral])
    #expect(traffic.pdus.map(\.event.answers) == [nil, 1])
  }

  @Test func adaptersHaveHandlesOfTheirOwn() throws {
    var builder = CaptureBuilder(datalink: .monitor)
    builder.connect(adapter: 0)
    builder.connect(peer: CaptureBuilder.otherPeer, adapter: 1)
    builder.att(.host, hex("0a0300"), adapter: 0)
    builder.att(.host, hex("0a0500"), adapter: 1)
    builder.att(.controller, hex("0b01"), adapter: 1)
    builder.att(.controller, hex("0b02"), adapter: 0)
    builder.command(0x0C03, adapter: 0)
    builder.att(.controller, hex("1b050003"), adapter: 1)
    builder.disconnect(adapter: 1)
    let traffic = try Traffic(builder.bytes)
    #expect(traffic.pdus.map(\.event.link) == [1, 2, 2, 1, 2])
    #expect(traffic.pdus.map(\.event.adapter) == [0, 1, 1, 0, 1])
    #expect(traffic.pdus.map(\.event.attribute) == [3, 5, 5, 3, 5].map { AttributeHandle($0) })
    #expect(traffic.capture.links.map(\.endFrame) == [7, 9])
    #expect(traffic.capture.links.map(\.endReason) == [nil, .remoteUserTerminatedConnection])
    #expect(traffic.codes == [])
  }

  @Test func resetEndsEveryLinkOfItsController() throws {
    let traffic = try Traffic {
      $0.connect(0x40)
      $0.connect(0x41)
      $0.command(0x0C03)
      $0.att(.host, hex("0a0300"))
    }
    #expect(traffic.capture.links.map(\.endFrame) == [3, 3])
    #expect(traffic.pdus.isEmpty)
    #expect(traffic.codes == [.noConnection])
  }

  @Test func encryptionAndConnectionUpdates() throws {
    let traffic = try Traffic {
      $0.connect()
      $0.event(0x08, hex("00 4000 01"))
      $0.event(0x3E, hex("03 00 4000 0600 0300 c800"))
      $0.connect(0x41)
      $0.event(0x08, hex("05 4100 01"))
    }
    #expect(traffic.capture.links.map(\.isEncrypted) == [true, false])
    let link = try #require(traffic.capture.links.first)
    #expect((link.interval, link.latency, link.timeout) == (6, 3, 200))
    #expect((link.initialInterval, link.initialLatency, link.initialTimeout) == (36, 0, 42))
  }

  @Test func classicLinksCarryNoAttributesOfOurs() throws {
    let traffic = try Traffic {
      $0.event(0x03, hex("00 0500 665544332211 01 00"))
      $0.att(.host, hex("0a0300"), handle: 5)
      $0.disconnect(5)
    }
    #expect(traffic.capture.links.map(\.isLowEnergy) == [false])
    #expect(traffic.pdus.isEmpty)
    #expect(traffic.codes == [])
  }

  @Test func vendorDataIsNoTraffic() throws {
    let traffic = try Traffic {
      $0.att(.controller, hex("0a0300"), handle: 0xEDC)
      $0.att(.controller, hex("0a0300"), handle: 0x30)
      $0.event(0xFF, hex("01"))
    }
    #expect(traffic.pdus.isEmpty)
    #expect(traffic.codes == [.vendorTraffic, .vendorTraffic, .noConnection])
  }

  @Test func advertisersAndTheirParts() throws {
    let address = "01 5544332211c0"
    let traffic = try Traffic {
      $0.event(0x3E, hex("02 01 00 \(address) 03 020106 c5"))
      $0.event(0x3E, hex("02 01 04 \(address) 04 03094142 7f"))
      $0.event(0x3E, hex("0d 01 2100 \(address) 01 00 ff 7f c6 0000 00 000000000000 03 020106"))
      $0.event(0x3E, hex("0d 01 0100 \(address) 01 00 ff 7f c7 0000 00 000000000000 04 03ff0102"))
    }
    let advertiser = try #require(traffic.capture.advertisers[CaptureBuilder.peer])
    #expect(traffic.capture.advertisers.count == 1)
    #expect(advertiser.reports == 4)
    #expect(advertiser.data == hex("020106 03ff0102"))
    #expect(advertiser.scanResponse == hex("03094142"))
    #expect(advertiser.name == "AB")
    #expect(advertiser.rssi == -57)
    #expect(advertiser.isConnectable)
  }
}

/// Connections that are older than the capture.
struct ImplicitLinkTests {
  static let frames: [(CaptureBuilder.Sender, [UInt8])] = [
    (.controller, hex("1b0500 01")), (.host, hex("120300 0100")), (.controller, hex("13")), (.host, hex("0a0500")),
    (.controller, hex("0b 07")),
  ]

  @Test func twoFramesThatAgreeOpenALink() throws {
    let traffic = try Traffic { for (sender, pdu) in Self.frames { $0.att(sender, pdu) } }
    let link = try #require(traffic.capture.links.first)
    #expect(traffic.capture.links.count == 1)
    #expect((link.localRole, link.isImplicit, link.startFrame, link.mtu) == (.central, true, 1, 23))
    #expect(traffic.pdus.map(\.bytes) == Self.frames.map(\.1))
    #expect(traffic.pdus.map(\.event.frame) == [1, 2, 3, 4, 5])
    #expect(traffic.codes == [.implicitLink])
  }

  @Test func theHostMayBeTheServer() throws {
    let traffic = try Traffic {
      $0.att(.controller, hex("0a0500"))
      $0.att(.host, hex("0b 07"))
      $0.att(.host, hex("1b0500") + [UInt8](repeating: 1, count: 97))
      $0.disconnect()
    }
    let link = try #require(traffic.capture.links.first)
    #expect((link.localRole, link.mtu, link.endReason) == (.peripheral, 100, .remoteUserTerminatedConnection))
    #expect(traffic.pdus.map(\.event.sender) == [.central, .peripheral, .peripheral])
  }

  /// One end that asks and another that asks, too, say nothing of who is the central; the third frame decides.
  @Test func framesThatDisagreeWaitForAnother() throws {
    let traffic = try Traffic {
      $0.att(.controller, hex("0a0500"))
      $0.att(.host, hex("0a0300"))
      $0.att(.controller, hex("0b 01"))
    }
    #expect(traffic.capture.links.map(\.localRole) == [.central])
    #expect(traffic.pdus.count == 3)
  }

  @Test func aFragmentedFrameIsHeldBackToo() throws {
    let long = hex("1b0500") + [UInt8](repeating: 7, count: 60)
    let traffic = try Traffic {
      $0.att(.controller, long, fragments: [27, 27])
      $0.att(.controller, hex("1b0500 01"))
      $0.att(.controller, hex("1b0500 02"))
    }
    #expect(traffic.pdus.map(\.bytes) == [long, hex("1b0500 01"), hex("1b0500 02")])
    #expect(traffic.pdus.map(\.event.frame) == [3, 4, 5])
  }

  @Test func whatIsNoTrafficOfLEOpensNone() throws {
    let traffic = try Traffic {
      // A dynamic channel, an unknown opcode, a wrong length, one frame alone, and debug data.
      for _ in 0..<5 { $0.acl(.host, CaptureBuilder.l2cap(hex("0a0300"), channel: 0x41), handle: 1) }
      for _ in 0..<5 { $0.att(.host, hex("7f0300"), handle: 2) }
      for _ in 0..<5 { $0.att(.host, hex("0a03"), handle: 3) }
      $0.att(.host, hex("0a0300"), handle: 4)
      for _ in 0..<5 { $0.att(.host, hex("0a0300"), handle: 0xEDC) }
    }
    #expect(traffic.capture.links.isEmpty && traffic.pdus.isEmpty)
    #expect(traffic.codes.filter { $0 == .noConnection }.count == 4)
    #expect(traffic.codes.filter { $0 == .vendorTraffic }.count == 5)
  }

  /// Packets that were not held back, and those on too many handles, are told.
  @Test func whatIsNotFollowedIsTold() throws {
    let late = try Traffic {
      for _ in 0..<3 { $0.acl(.controller, CaptureBuilder.l2cap(hex("0a0300"), channel: 0x41)) }
      for (sender, pdu) in Self.frames { $0.att(sender, pdu) }
    }
    #expect(late.pdus.count == 5)
    #expect(
      late.capture.findings.contains { $0.code == .noConnection && $0.frame == 1 && $0.message.hasPrefix("3 ACL packets from here on") })
    let many = try Traffic { for handle in 0..<300 as Range<UInt16> { $0.att(.host, hex("0a0300"), handle: handle) } }
    #expect(many.capture.links.isEmpty)
    #expect(
      many.capture.findings.contains { $0.code == .noConnection && $0.frame == 257 && $0.message.hasPrefix("44 ACL packets from here on") })
  }

  /// However many records of the beginning are missing, what is left is told as it was.
  @Test func droppingTheFirstRecordsNeverBreaksTheRest() throws {
    var pdus: [Int] = []
    for dropped in 0...12 {
      let traffic = try Traffic { builder in
        var steps: [(inout CaptureBuilder) -> Void] = [{ $0.connect() }]
        for (sender, pdu) in Self.frames + Self.frames { steps.append { $0.att(sender, pdu) } }
        steps.append { $0.disconnect() }
        for step in steps.dropFirst(dropped) { step(&builder) }
      }
      pdus.append(traffic.pdus.count)
      #expect(traffic.capture.links.count == (dropped < 10 ? 1 : 0), "\(dropped)")
      #expect(traffic.capture.links.allSatisfy { $0.isImplicit == (dropped > 0) && $0.localRole == .central })
    }
    #expect(pdus == [10, 10, 9, 8, 7, 6, 5, 4, 3, 2, 0, 0, 0])
  }
}
