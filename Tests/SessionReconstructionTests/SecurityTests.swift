import SessionReconstruction
import TestSupport
import Testing

/// Pairing, keys and encryption of a link.
struct SecurityTests {
  private static func pairing(_ traffic: Traffic) throws -> (event: LinkEvent, pairing: Pairing) {
    for event in traffic.events { if case .pair(let pairing) = event.procedure { return (event, pairing) } }
    throw Missing()
  }

  private struct Missing: Error {}

  @Test func aPairingTellsItsMethodItsOutcomeAndItsKeys() throws {
    let traffic = try Traffic {
      $0.connect()
      $0.pair()
      $0.pairing(.controller, .encryptionInformation(Array(0..<16)))
      $0.pairing(.controller, .centralIdentification(diversifier: 0x1234, random: Array(0..<8)))
      $0.pairing(.controller, .identityInformation(Array(16..<32)))
      $0.pairing(.controller, .identityAddressInformation(CaptureBuilder.peer))
      $0.pairing(.host, .identityInformation(Array(32..<48)))
      $0.att(.host, hex("0a0300"))
    }
    #expect(traffic.events.map(\.sender) == [.peripheral, .central, .central])
    #expect(traffic.events.first?.procedure == .securityRequest([.bonding, .mitm]))
    #expect(traffic.events.last?.procedure == .encrypt(.paired))
    let (event, pairing) = try Self.pairing(traffic)
    #expect(event.outcome == .success && event.position == 0)
    #expect(event.frame == 3 && event.end?.microseconds == event.time.microseconds + 3000)
    #expect(pairing.method == .passkeyEntry && !pairing.isSecureConnections && pairing.isBonding)
    #expect(pairing.central?.features == CaptureBuilder.request && pairing.central?.sent == .identity)
    #expect(pairing.peripheral?.sent == [.encryption, .identity])
    #expect(pairing.peripheral?.keys?.longTermKey == Array(0..<16).reversed())
    #expect(pairing.peripheral?.keys?.diversifier == 0x1234)
    #expect(pairing.peripheral?.keys?.random == Array(0..<8).reversed())
    #expect(pairing.peripheral?.keys?.identityResolvingKey == Array(16..<32).reversed())
    #expect(pairing.peripheral?.keys?.identity == CaptureBuilder.peer)
    let link = try #require(traffic.capture.links.first)
    #expect(link.pairing == pairing && link.pairingOutcome == .success && link.isEncrypted && !link.isBonded)
    #expect(traffic.codes == [.unanswered])
  }

  @Test func aFailedPairingTellsWhy() throws {
    let traffic = try Traffic {
      $0.connect()
      $0.pairing(.host, .pairingRequest(CaptureBuilder.request))
      $0.pairing(.controller, .pairingFailed(.pairingNotSupported))
      $0.pairing(.host, .pairingRequest(CaptureBuilder.request))
    }
    #expect(traffic.events.map(\.outcome) == [.failure(5), nil])
    #expect(traffic.capture.links.first?.pairing?.method == nil)
  }

  @Test func encryptionWithoutPairingIsOfABond() throws {
    let traffic = try Traffic {
      $0.connect()
      $0.encrypt()
      // On anew, with the same key.
      $0.command(0x2019, hex("4000") + [UInt8](repeating: 0, count: 26))
      $0.event(0x30, hex("00 4000"))
    }
    #expect(traffic.events.map(\.procedure) == [.encrypt(.bonded), .encrypt(.bonded)])
    #expect(traffic.events.map(\.outcome) == [.success, .success])
    #expect(traffic.capture.links.map(\.isBonded) == [true])
  }

  @Test func aKeyThatIsMissingFailsTheEncryption() throws {
    let asCentral = try Traffic {
      $0.connect()
      $0.encrypt(status: 0x06)
    }
    #expect(asCentral.events.map(\.procedure) == [.encrypt(.bonded)] && asCentral.events.map(\.outcome) == [.failure(6)])
    #expect(asCentral.capture.links.map(\.isBonded) == [false])
    let asPeripheral = try Traffic {
      $0.connect(role: 1)
      $0.event(0x3E, hex("05 4000 0000000000000000 0000"))
      $0.command(0x201B, hex("4000"))
    }
    #expect(asPeripheral.events.map(\.sender) == [.central] && asPeripheral.events.map(\.outcome) == [.failure(6)])
  }

  @Test func theLongTermKeyRequestBeginsEncryptionOfACapturedPeripheral() throws {
    let traffic = try Traffic {
      $0.connect(role: 1)
      $0.pairing(.controller, .pairingRequest(CaptureBuilder.request))
      $0.pairing(.host, .pairingResponse(CaptureBuilder.response))
      $0.event(0x3E, hex("05 4000 0000000000000000 0000"))
      $0.command(0x201A, hex("4000") + [UInt8](repeating: 9, count: 16))
      $0.event(0x08, hex("00 4000 01"))
    }
    #expect(traffic.events.map(\.procedure).last == .encrypt(.paired))
    #expect(traffic.events.map(\.outcome) == [.success, .success])
    #expect(traffic.events.map(\.sender) == [.central, .central])
  }

  @Test func theAirTellsEncryptionAndPairing() throws {
    let traffic = try AirLinkTests.traffic(.bare) {
      $0.connect()
      $0.send(.init(.start, CaptureBuilder.l2cap(SMPPDU.pairingRequest(CaptureBuilder.request).bytes, channel: 6)), from: .central)
      $0.send(.init(.start, CaptureBuilder.l2cap(SMPPDU.pairingResponse(CaptureBuilder.response).bytes, channel: 6)), from: .peripheral)
      $0.send(.control(hex("03") + [UInt8](repeating: 7, count: 22)), from: .central)
      $0.send(.control(hex("04") + [UInt8](repeating: 8, count: 12)), from: .peripheral)
      $0.send(.control(hex("05")), from: .peripheral)
      $0.send(.control([UInt8](repeating: 0xA5, count: 5)), from: .central)
      $0.send(.control([UInt8](repeating: 0x5A, count: 5)), from: .peripheral)
    }
    #expect(traffic.events.map(\.outcome) == [.success, .success])
    #expect(try Self.pairing(traffic).pairing.method == .passkeyEntry)
    #expect(traffic.events.last?.procedure == .encrypt(.paired))
    let refused = try AirLinkTests.traffic(.bare) {
      $0.connect()
      $0.send(.control(hex("03") + [UInt8](repeating: 7, count: 22)), from: .central)
      $0.send(.control(hex("110306")), from: .peripheral)
    }
    #expect(refused.events.map(\.procedure) == [.encrypt(.bonded)] && refused.events.map(\.outcome) == [.failure(6)])
  }

  @Test func randomPairingNeverTraps() throws {
    var random = SeededGenerator(seed: 0x5A9)
    for _ in 0..<20 {
      _ = try Traffic {
        $0.connect()
        for _ in 0..<300 {
          var bytes = random.bytes(Int.random(in: 0...20, using: &random))
          if !bytes.isEmpty { bytes[0] = UInt8.random(in: 0...15, using: &random) }
          $0.acl(Bool.random(using: &random) ? .host : .controller, CaptureBuilder.l2cap(bytes, channel: 6))
          if Int.random(in: 0..<20, using: &random) == 0 { $0.encrypt(status: UInt8.random(in: 0...1, using: &random)) }
        }
      }
    }
  }
}
