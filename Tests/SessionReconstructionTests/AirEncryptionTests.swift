import SessionReconstruction
import TestSupport
import Testing

/// Links that are encrypted, with and without a sniffer that has the key (case B10).
struct AirEncryptionTests {
  private static let request = hex("03") + [UInt8](repeating: 7, count: 22)
  private static let response = hex("04") + [UInt8](repeating: 8, count: 12)
  private static let mic = hex("deadbeef")

  /// A conversation, the start of encryption without the steps in `unheard`, and what looks like noise.
  private static func encrypt(_ builder: inout AirBuilder, unheard: Set<Int> = []) {
    let steps: [(AirBuilder.Sender, [UInt8])] = [(.central, request), (.peripheral, response), (.peripheral, hex("05"))]
    for (number, (sender, bytes)) in steps.enumerated() {
      builder.send(.control(bytes), from: sender, isLost: unheard.contains(number))
    }
  }

  private static func noise(_ builder: inout AirBuilder) {
    var random = SeededGenerator(seed: 0xE2C)
    func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) } }
    builder.send(.control(bytes(5)), from: .central)
    builder.send(.control(bytes(5)), from: .peripheral)
    for _ in 0..<200 {
      builder.send(.init(.start, bytes(Int.random(in: 9...31, using: &random))), from: .central)
      builder.send(.init(.continuing, bytes(Int.random(in: 5...31, using: &random))), from: .peripheral)
      builder.send(.control(bytes(Int.random(in: 5...27, using: &random))), from: .central)
    }
  }

  @Test(arguments: AirBuilder.Form.allCases)
  func decodingStopsWithOneFinding(form: AirBuilder.Form) throws {
    for unheard in [[], [0], [1], [2], [0, 1], [1, 2]] as [Set<Int>] {
      var frame = 0
      let traffic = try AirLinkTests.traffic(form) {
        $0.connect()
        AirLinkTests.talk(&$0)
        Self.encrypt(&$0, unheard: unheard)
        frame = $0.records + 1
        Self.noise(&$0)
      }
      #expect(traffic.pdus.count == AirLinkTests.conversation.count, "\(unheard)")
      #expect(traffic.codes == [.encryptedTraffic], "\(unheard)")
      #expect(traffic.capture.findings.first?.frame == frame)
      #expect(traffic.capture.links.map(\.isEncrypted) == [true])
      #expect((traffic.capture.links.first?.air?.undecoded ?? 0) > 600)
    }
  }

  @Test func pausedEncryptionIsReadAgain() throws {
    let traffic = try AirLinkTests.traffic(.bare) {
      $0.connect()
      Self.encrypt(&$0)
      Self.noise(&$0)
      $0.send(.control(hex("0b")), from: .central)
      AirLinkTests.talk(&$0)
      Self.encrypt(&$0)
      Self.noise(&$0)
      $0.send(.control(Self.request), from: .central)
      $0.send(.control(hex("0d 06")), from: .peripheral)
      AirLinkTests.talk(&$0)
    }
    #expect(traffic.pdus.count == 2 * AirLinkTests.conversation.count)
    #expect(traffic.codes == [.encryptedTraffic])
  }

  @Test func aRefusalLeavesTheLinkInPlain() throws {
    for refusal in ["0d06", "110306"] {
      let traffic = try AirLinkTests.traffic(.radioHeader) {
        $0.connect()
        $0.send(.control(Self.request), from: .central)
        $0.send(.control(hex(refusal)), from: .peripheral)
        AirLinkTests.talk(&$0)
      }
      #expect(traffic.pdus.count == AirLinkTests.conversation.count)
      #expect(traffic.capture.links.map(\.isEncrypted) == [false])
      #expect(traffic.codes == [])
    }
  }

  /// Nordic's sniffer takes the message integrity check away; in type 256 it may still be there.
  @Test(arguments: [(AirBuilder.Form.nordic, false), (.radioHeader, false), (.radioHeader, true)])
  func whatTheSnifferDecryptedIsRead(form: AirBuilder.Form, keepsMIC: Bool) throws {
    let mic = keepsMIC ? Self.mic : []
    let traffic = try AirLinkTests.traffic(form) {
      $0.connect()
      Self.encrypt(&$0)
      ($0.nordicFlags, $0.radioFlags) = (12, 0x3008)
      $0.send(.control(hex("06") + mic), from: .central)
      $0.send(.control(hex("06") + mic), from: .peripheral)
      for (sender, pdu) in AirLinkTests.conversation { $0.att(sender, pdu, mic: mic) }
      // What it could not decrypt is left out.
      ($0.nordicFlags, $0.radioFlags) = (4, 0x1008)
      $0.att(.peripheral, hex("1b0500 0203"))
      ($0.nordicFlags, $0.radioFlags) = (12, 0x3008)
      $0.send(.control(hex("02 13") + mic), from: .peripheral)
    }
    #expect(traffic.pdus.map(\.bytes) == AirLinkTests.conversation.map(\.1))
    #expect(traffic.capture.links.map(\.endReason) == [.remoteUserTerminatedConnection])
    #expect(traffic.codes == [.encryptedTraffic])
  }

  /// Tools exist that decrypt a capture and do not say so in its flags.
  @Test func wholeFramesInPlainProveThatSomebodyDecrypted() throws {
    let traffic = try AirLinkTests.traffic(.bare) {
      $0.connect()
      Self.encrypt(&$0)
      AirLinkTests.talk(&$0)
    }
    #expect(traffic.pdus.map(\.bytes) == AirLinkTests.conversation.map(\.1))
    #expect(traffic.codes == [])
  }
}
