import SessionReconstruction
import TestSupport
import Testing

/// Connection-oriented channels: Enhanced ATT, ATT over BR/EDR, and what carries an app's data.
struct ChannelTests {
  private static let parameters = L2CAPChannelParameters(mtu: 100, mps: 64, credits: 4)

  @Test func everyBearerPairsItsOwnTransactions() throws {
    let traffic = try Traffic {
      $0.connect()
      $0.openEnhanced()
      $0.att(.host, hex("0a0300"))
      $0.frame(.host, hex("0a0500"), on: 0x50)
      $0.frame(.host, hex("0a0700"), on: 0x51)
      $0.frame(.controller, hex("0b07"), on: 0x41)
      $0.att(.controller, hex("0b03"))
      $0.frame(.controller, hex("0b05"), on: 0x40)
    }
    #expect(traffic.pdus.map(\.event.bearer) == [0, 1, 2, 2, 0, 1])
    #expect(traffic.pdus.map(\.event.answers) == [nil, nil, nil, 3, 1, 2])
    #expect(traffic.pdus.compactMap(\.event.attribute?.rawValue) == [3, 5, 7, 7, 3, 5])
    #expect(traffic.codes == [])
    #expect(traffic.capture.links.first?.mtu == 23)
    let openings = traffic.events.compactMap { if case .openChannel(let opening) = $0.procedure { opening } else { nil } }
    #expect(openings.map(\.channel) == [1, 2] && openings.map(\.attributeMTU) == [80, 80])
    #expect(traffic.events.map(\.outcome) == [.success, .success])
  }

  @Test func framesAreJoinedAndAReconfigurationRaisesTheMTU() throws {
    let sdu = hex("1b0300") + [UInt8](repeating: 0xAB, count: 90)
    let traffic = try Traffic {
      $0.connect()
      $0.openEnhanced()
      $0.signal(.host, .reconfigureRequest(mtu: 120, mps: 70, destinations: [L2CAPChannel(rawValue: 0x40)]), identifier: 2)
      $0.signal(.controller, .reconfigureResponse(result: 0), identifier: 2)
      $0.signal(.host, .flowControlCredit(source: L2CAPChannel(rawValue: 0x40), credits: 9), identifier: 3)
      $0.frame(.controller, Array(sdu.prefix(62)), on: 0x40, length: 93)
      $0.att(.controller, hex("1b090001"))
      $0.acl(.controller, CaptureBuilder.l2cap(Array(sdu.dropFirst(62)), channel: 0x40))
    }
    #expect(traffic.texts == ["1b090001", Hexadecimal.encode(sdu)])
    #expect(traffic.pdus.map(\.event.bearer) == [0, 1])
    guard case .openChannel(let opening)? = traffic.events.first?.procedure else { throw Missing() }
    #expect(opening.central == L2CAPChannelParameters(mtu: 120, mps: 70, credits: 4))
    #expect(opening.peripheral == L2CAPChannelParameters(mtu: 80, mps: 64, credits: 4))
  }

  private struct Missing: Error {}

  @Test func aChannelOfAnAppIsOpenedUsedAndClosed() throws {
    let traffic = try Traffic {
      $0.connect()
      $0.signal(.controller, .creditConnectionRequest(psm: 0x80, source: L2CAPChannel(rawValue: 0x60), Self.parameters))
      $0.signal(.host, .creditConnectionResponse(destination: L2CAPChannel(rawValue: 0x44), Self.parameters, result: 0))
      $0.frame(.host, hex("0102"), on: 0x60)
      $0.frame(.controller, hex("03"), on: 0x44)
      $0.signal(
        .host, .disconnectionRequest(destination: L2CAPChannel(rawValue: 0x60), source: L2CAPChannel(rawValue: 0x44)), identifier: 2)
      $0.frame(.host, hex("04"), on: 0x60)
    }
    #expect(traffic.events.map(\.sender) == [.peripheral, .central, .peripheral, .central])
    let opening = L2CAPChannelOpening(channel: 1, psm: 0x80, central: Self.parameters, peripheral: Self.parameters)
    #expect(
      traffic.events.map(\.procedure) == [
        .openChannel(opening), .channelData(channel: 1, [1, 2]), .channelData(channel: 1, [3]), .closeChannel(1),
      ])
    #expect(traffic.codes == [.unknownChannel])
  }

  @Test func aRefusalTellsItsResult() throws {
    let traffic = try Traffic {
      $0.connect()
      $0.signal(.host, .creditConnectionRequest(psm: 0x80, source: L2CAPChannel(rawValue: 0x60), Self.parameters))
      $0.signal(
        .controller,
        .creditConnectionResponse(destination: L2CAPChannel(rawValue: 0), L2CAPChannelParameters(mtu: 0), result: 2))
      $0.signal(.host, .creditConnectionRequest(psm: 0x81, source: L2CAPChannel(rawValue: 0x61), Self.parameters), identifier: 2)
      $0.signal(.controller, .commandReject(reason: 0, data: []), identifier: 2)
      $0.openEnhanced()
      $0.signal(.host, .enhancedConnectionRequest(psm: 0x27, Self.parameters, sources: [L2CAPChannel(rawValue: 0x46)]), identifier: 3)
    }
    #expect(traffic.events.map(\.outcome) == [.failure(2), .failure(0), .success, .success, nil])
  }

  @Test func attributesOverBREDRGoFromTheEndThatOpenedTheChannel() throws {
    for opener in [CaptureBuilder.Sender.host, .controller] {
      let other: CaptureBuilder.Sender = opener == .host ? .controller : .host
      let traffic = try Traffic {
        $0.event(0x03, hex("00 4000 5544332211c0 01 00"))
        $0.signal(opener, .connectionRequest(psm: 0x1F, source: L2CAPChannel(rawValue: 0x40)), channel: 1)
        $0.signal(
          other,
          .connectionResponse(
            destination: L2CAPChannel(rawValue: 0x41), source: L2CAPChannel(rawValue: 0x40), result: 1, status: 2), channel: 1)
        $0.signal(
          other,
          .connectionResponse(
            destination: L2CAPChannel(rawValue: 0x41), source: L2CAPChannel(rawValue: 0x40), result: 0, status: 0), channel: 1)
        // Both ends tell their MTU: 48 and 400.
        $0.signal(
          opener, .configurationRequest(destination: L2CAPChannel(rawValue: 0x41), flags: 0, options: hex("01023000")), identifier: 2,
          channel: 1)
        $0.signal(
          other, .configurationRequest(destination: L2CAPChannel(rawValue: 0x40), flags: 0, options: hex("01029001")), identifier: 3,
          channel: 1)
        $0.acl(opener, CaptureBuilder.l2cap(hex("0a0300"), channel: 0x41))
        $0.acl(other, CaptureBuilder.l2cap(hex("0b01"), channel: 0x40))
        // The fixed channel is one of LE.
        $0.att(.host, hex("0a0300"))
      }
      #expect(traffic.pdus.map(\.event.sender) == [.central, .peripheral])
      #expect(traffic.pdus.map(\.event.answers) == [nil, 1])
      #expect(traffic.pdus.map(\.event.bearer) == [0, 0])
      #expect(traffic.capture.links.map(\.mtu) == [48])
      #expect(traffic.capture.links.map(\.localRole) == [opener == .host ? .central : .peripheral])
      #expect(traffic.codes == [])
    }
  }

  @Test func channelsOfTheAirAreFollowedToo() throws {
    let traffic = try AirLinkTests.traffic(.bare) { builder in
      builder.connect()
      func send(_ command: L2CAPSignal.Command, _ sender: AirBuilder.Sender) {
        builder.send(.init(.start, CaptureBuilder.l2cap(L2CAPSignal(identifier: 1, command).bytes, channel: 5)), from: sender)
      }
      send(.creditConnectionRequest(psm: 0x27, source: L2CAPChannel(rawValue: 0x40), Self.parameters), .central)
      send(.creditConnectionResponse(destination: L2CAPChannel(rawValue: 0x50), Self.parameters, result: 0), .peripheral)
      builder.send(.init(.start, CaptureBuilder.l2cap(hex("0300 0a0300"), channel: 0x50)), from: .central)
      builder.send(.init(.start, CaptureBuilder.l2cap(hex("0200 0b01"), channel: 0x40)), from: .peripheral)
    }
    #expect(traffic.texts == ["0a0300", "0b01"])
    #expect(traffic.pdus.map(\.event.bearer) == [1, 1])
  }

  @Test func hostileFramesAreBoundedAndTold() throws {
    let traffic = try Traffic {
      $0.connect()
      $0.openEnhanced()
      // No length; more than the SDU has, at once and in a later frame; an SDU that never ends.
      $0.acl(.host, CaptureBuilder.l2cap([1], channel: 0x50))
      $0.frame(.host, hex("0a0300"), on: 0x50, length: 1)
      $0.frame(.host, hex("0a"), on: 0x50, length: 2)
      $0.acl(.host, CaptureBuilder.l2cap(hex("030005"), channel: 0x50))
      $0.frame(.host, hex("0a"), on: 0x50, length: 0xFFFF)
    }
    #expect(traffic.pdus.isEmpty)
    #expect(traffic.codes == [.malformedPDU, .oversizedPDU, .oversizedPDU, .missingFragment])
  }

  @Test func randomSignallingNeverTrapsAndStaysBounded() throws {
    var random = SeededGenerator(seed: 0x0527)
    for _ in 0..<40 {
      _ = try Traffic {
        $0.connect()
        $0.event(0x03, hex("00 4100 5544332211c0 01 00"))
        for _ in 0..<400 {
          let sender: CaptureBuilder.Sender = Bool.random(using: &random) ? .host : .controller
          let isSignal = Int.random(in: 0..<3, using: &random) > 0
          var bytes = random.bytes(Int.random(in: 0...24, using: &random))
          // Few identifiers and channels, so that much fits together.
          for index in bytes.indices where index % 2 == 1 && bytes[index] > 8 { bytes[index] = 0 }
          if isSignal, bytes.count >= 4 {
            bytes[0] = UInt8.random(in: 1...0x1B, using: &random)
            (bytes[1], bytes[2], bytes[3]) = (UInt8.random(in: 1...3, using: &random), UInt8(bytes.count - 4), 0)
            if bytes.count > 5, bytes[0] == 0x14 || bytes[0] == 0x17 { (bytes[4], bytes[5]) = (0x27, 0) }
            if bytes.count > 5, bytes[0] == 2 { (bytes[4], bytes[5]) = (0x1F, 0) }
          }
          let isClassic = Bool.random(using: &random)
          let channel = isSignal ? (isClassic ? 1 : 5) : UInt16.random(in: 0x40...0x60, using: &random)
          $0.acl(sender, CaptureBuilder.l2cap(bytes, channel: channel), handle: isClassic ? 0x41 : 0x40)
        }
      }
    }
  }
}
