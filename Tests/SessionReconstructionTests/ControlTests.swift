import SessionReconstruction
import TestSupport
import Testing

/// Connection parameters, PHYs and payload lengths that the ends agree on.
struct ControlTests {
  private static let range = ConnectionParameterRange(intervalMinimum: 6, intervalMaximum: 12, latency: 4, timeout: 500)

  @Test func anUpdateThatThePeripheralAskedForThroughL2CAP() throws {
    let traffic = try Traffic {
      $0.connect()
      for result in [0, 1] as [UInt16] {
        let signals = [
          L2CAPSignal(identifier: UInt8(result + 1), .parameterUpdateRequest(Self.range)),
          L2CAPSignal(identifier: UInt8(result + 1), .parameterUpdateResponse(result: result)),
        ]
        $0.acl(.controller, CaptureBuilder.l2cap(signals[0].bytes, channel: 5))
        $0.acl(.host, CaptureBuilder.l2cap(signals[1].bytes, channel: 5))
        if result == 0 { $0.event(0x3E, hex("03 00 4000 0c00 0400 f401")) }
      }
      // What does not change is not told again, nor is what failed.
      $0.event(0x3E, hex("03 00 4000 0c00 0400 f401"))
      $0.event(0x3E, hex("03 3b 4000 0600 0400 f401"))
    }
    #expect(
      traffic.events.map(\.procedure) == [
        .requestParameters(Self.range), .updateParameters(ConnectionParameters(interval: 12, latency: 4, timeout: 500)),
        .requestParameters(Self.range),
      ])
    #expect(traffic.events.map(\.outcome) == [.success, nil, .failure(1)])
    #expect(traffic.events.map(\.sender) == [.peripheral, .central, .peripheral])
    let link = try #require(traffic.capture.links.first)
    #expect((link.interval, link.latency, link.timeout) == (12, 4, 500) && link.initialInterval == 36)
  }

  @Test func aRequestOfTheLinkLayer() throws {
    let answered = try Traffic {
      $0.connect()
      $0.event(0x3E, hex("06 4000 0600 0c00 0400 f401"))
      $0.command(0x2020, hex("4000 0600 0c00 0400 f401 0000 0000"))
      $0.event(0x3E, hex("06 4000 0600 0c00 0400 f401"))
      $0.command(0x2021, hex("4000 3b"))
    }
    #expect(answered.events.map(\.procedure) == [.requestParameters(Self.range), .requestParameters(Self.range)])
    #expect(answered.events.map(\.outcome) == [.success, .failure(0x3B)])
    let air = try AirLinkTests.traffic(.bare) {
      $0.connect()
      let request = hex("0f 0600 0c00 0400 f401 00") + [UInt8](repeating: 0xFF, count: 14)
      $0.send(.control(request), from: .peripheral)
      $0.send(.control(hex("11 0f 3b")), from: .central)
      $0.send(.control(request), from: .peripheral)
      $0.send(.control([0x10] + request.dropFirst()), from: .central)
    }
    #expect(air.events.map(\.sender) == [.peripheral, .peripheral])
    #expect(air.events.map(\.outcome) == [.failure(0x3B), .success])
  }

  @Test(arguments: [UInt8(0), 1])
  func physAndLengthsAreTheEnds(role: UInt8) throws {
    let traffic = try Traffic {
      $0.connect(role: role)
      $0.event(0x3E, hex("0c 00 4000 02 01"))
      $0.event(0x3E, hex("07 4000 fb00 9042 1b00 4801"))
      $0.event(0x3E, hex("07 4000 fb00 9042 1b00 4801"))
    }
    let isCentral = role == 0
    #expect(
      traffic.events.map(\.procedure) == [
        .updatePHY(central: isCentral ? .le2M : .le1M, peripheral: isCentral ? .le1M : .le2M),
        .updateDataLength(central: isCentral ? 251 : 27, peripheral: isCentral ? 27 : 251),
      ])
  }

  @Test func theAirTellsThemToo() throws {
    let traffic = try AirLinkTests.traffic(.bare) {
      $0.connect()
      $0.send(.control(hex("14 fb00 9042 fb00 9042")), from: .central)
      $0.send(.control(hex("15 3000 9042 3000 9042")), from: .peripheral)
      $0.send(.control(hex("18 04 00 0a00")), from: .central)
    }
    #expect(traffic.events.map(\.procedure).last == .updatePHY(central: .leCoded, peripheral: .le1M))
    #expect(traffic.events.map(\.procedure).contains(.updateDataLength(central: 48, peripheral: 48)))
  }
}
