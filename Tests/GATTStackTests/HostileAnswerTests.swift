import BLEWire
import TestSupport
import Testing

@testable import GATTStack

/// Servers that answer with anything.
struct HostileAnswerTests {
  /// Answers made of random bytes end every procedure; none goes on for ever.
  @Test func hostileAnswersEnd() {
    let procedures: [GATTClient.Procedure] = [
      .exchangeMTU(100), .discoverServices(nil), .discoverServices(BluetoothUUID(0x180F as UInt16)),
      .discoverIncludedServices(start: AttributeHandle(1), end: AttributeHandle(0xFFFF)),
      .discoverCharacteristics(start: AttributeHandle(1), end: AttributeHandle(0xFFFF)),
      .discoverDescriptors(start: AttributeHandle(1), end: AttributeHandle(0xFFFF)), .read(AttributeHandle(3)),
      .write(AttributeHandle(3), Array(repeating: 7, count: 100)),
    ]
    var random = SeededGenerator(seed: 5)
    for _ in 0..<3000 {
      var client = GATTClient()
      var outputs = client.start(procedures[Int.random(in: procedures.indices, using: &random)], id: 1)
      var requests = 0
      while let request = outputs.compactMap({ if case .send(let bytes) = $0 { bytes } else { nil } }).last, requests < 70_000 {
        requests += 1
        let opcode = ATTOpcode(rawValue: request[0])
        var answer = random.bytes(Int.random(in: 0...30, using: &random))
        if Int.random(in: 0..<4, using: &random) > 0, let expected = opcode.expectedResponse { answer.insert(expected.rawValue, at: 0) }
        outputs = client.receive(answer)
        if outputs.isEmpty { outputs = client.disconnect() }
      }
      #expect(requests < 70_000)
    }
  }
}
