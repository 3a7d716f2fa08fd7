import SessionReconstruction
import TestSupport
import Testing

/// Captures of the air that were damaged, or made to do harm.
struct AirHostileTests {
  @Test(arguments: AirBuilder.Form.allCases)
  func mutationsNeverTrap(form: AirBuilder.Form) throws {
    var builder = AirBuilder(form)
    builder.connect()
    AirLinkTests.talk(&builder)
    builder.send(.control(hex("14 fb00 4808 fb00 4808")), from: .central)
    builder.send(.control(hex("03") + [UInt8](repeating: 7, count: 22)), from: .central)
    builder.send(.control(hex("0d06")), from: .peripheral)
    AirLinkTests.talk(&builder)
    builder.send(.control(hex("02 13")), from: .central)
    let seed: UInt64 = 0xA12
    var random = SeededGenerator(seed: seed)
    for round in 0..<2000 {
      var bytes = builder.bytes
      for _ in 0..<Int.random(in: 1...30, using: &random) {
        bytes[Int.random(in: 24..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      guard let traffic = try? Traffic(bytes) else { continue }
      #expect(traffic.capture.links.count <= traffic.capture.records, "seed \(seed), round \(round)")
      #expect(traffic.pdus.reduce(0) { $0 + $1.bytes.count } <= bytes.count, "seed \(seed), round \(round)")
    }
  }

  @Test func linksAreBounded() throws {
    let traffic = try AirLinkTests.traffic(.bare) {
      for number in 0..<6000 {
        $0.connect(AccessAddress(rawValue: 0x1000_0000 + UInt32(number)), peer: BluetoothAddress(UInt64(number), kind: .random))
      }
    }
    #expect(traffic.capture.links.count == 4096)
    #expect(traffic.capture.findingCounts[.leftOut] == 6000 - 4096)
  }

  /// Noise with access addresses that never were does not keep a link from being found.
  @Test func noiseMakesRoom() throws {
    let traffic = try AirLinkTests.traffic(.bare) {
      for number in 0..<3000 {
        $0.accessAddress = AccessAddress(rawValue: 0x1000_0000 + UInt32(number))
        $0.send(.init(.start, [UInt8](repeating: UInt8(number & 0xFF), count: 20)), from: .central)
      }
      $0.accessAddress = AirBuilder.address
      AirLinkTests.talk(&$0)
    }
    #expect(traffic.capture.links.map(\.connection) == [.air(AirBuilder.address)])
    #expect(traffic.pdus.count == AirLinkTests.conversation.count)
  }
}
