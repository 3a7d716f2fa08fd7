import BLEWire
@testable import GATTStack
import TestSupport
import Testing

struct ServerTests {
  private func server(mtu: Int = 23) -> GATTServer {
    var server = GATTServer(
      database: AttributeDatabase([
        .init(handle: AttributeHandle(1), type: AttributeDatabase.primaryService, value: [0x0F, 0x18], groupEnd: AttributeHandle(4)),
        .init(handle: AttributeHandle(2), type: AttributeDatabase.characteristic, value: [0x02, 3, 0, 0x19, 0x2A]),
        .init(handle: AttributeHandle(3), type: BluetoothUUID(0x2A19 as UInt16), value: [100]),
        .init(handle: AttributeHandle(5), type: BluetoothUUID(0x2A00 as UInt16), value: [], readError: .insufficientEncryption),
      ]))
    server.agree(client: mtu, server: 517)
    return server
  }

  private func respond(_ text: String) -> GATTServer.Outcome { .respond((try? ATTPDU(parsing: hex(text))) ?? .writeResponse) }

  @Test(arguments: [
    ("10 0100 ffff 0028", "11 06 0100 0400 0f18"), ("10 0500 ffff 0028", "01 10 0500 0a"), ("10 0100 ffff 0328", "01 10 0100 10"),
    ("10 0000 ffff 0028", "01 10 0000 01"), ("10 0500 0100 0028", "01 10 0500 01"), ("08 0100 ffff 0328", "09 07 0200 02 0300 192a"),
    ("08 0100 ffff 002a", "01 08 0500 0f"), ("08 0300 0300 192a", "09 03 0300 64"), ("06 0100 ffff 0028 0f18", "07 0100 0400"),
    ("06 0100 ffff 0028 1018", "01 06 0100 0a"), ("04 0100 0300", "05 01 0100 0028 0200 0328 0300 192a"), ("04 0600 ffff", "01 04 0600 0a"),
    ("04 0100", "01 04 0000 04"), ("0a 01", "01 0a 0000 04"), ("3f", "01 3f 0000 06"),
  ])
  func requestsAreAnswered(request: String, answer: String) {
    var server = server()
    #expect(server.receive(hex(request)) == respond(answer))
  }

  @Test(arguments: ["52", "52 03", "7f 0102", "d2 0300 01", "13", "1b 0300 01", ""])
  func whatAsksForNothingGetsNothing(pdu: String) {
    var server = server()
    switch server.receive(hex(pdu)) {
    case .ignored, .response: break
    case let outcome: Issue.record("\(outcome)")
    }
  }

  @Test func partsBecomeOneValue() {
    var server = server()
    server.queue(AttributeHandle(3), offset: 0, part: [1, 2])
    server.queue(AttributeHandle(3), offset: 2, part: [3])
    server.queue(AttributeHandle(9), offset: 0, part: [4])
    #expect(
      server.receive([0x18, 1])
        == .value(
          .execute(
            [.init(handle: AttributeHandle(3), offset: 0, value: [1, 2, 3]), .init(handle: AttributeHandle(9), offset: 0, value: [4])],
            cancel: false)))
    #expect(server.receive([0x18, 1]) == .value(.execute([], cancel: false)))
    server.queue(AttributeHandle(3), offset: 0, part: [1])
    #expect(server.receive([0x18, 0]) == .value(.execute([], cancel: true)))
    #expect(server.receive([0x18, 1]) == .value(.execute([], cancel: false)))
  }

  @Test func theQueueIsBounded() {
    var server = server()
    for offset in stride(from: 0, to: GATTServer.queueLimit, by: 16) {
      server.queue(AttributeHandle(3), offset: offset, part: Array(repeating: 0, count: 16))
    }
    #expect(server.receive(hex("16 0300 0010 01")) == respond("01 16 0300 09"))
  }

  @Test func offsets() {
    let server = server()
    #expect(server.answer(.readBlobRequest, handle: AttributeHandle(3), value: [1, 2], offset: 2) == .readBlobResponse(part: []))
    #expect(
      server.answer(.readBlobRequest, handle: AttributeHandle(3), value: [1, 2], offset: 3)
        == .errorResponse(request: .readBlobRequest, handle: AttributeHandle(3), error: .invalidOffset))
    #expect(server.answer(.readMultipleRequest, values: [[1, 2], [3]]) == .readMultipleResponse(values: [1, 2, 3]))
    let long = Array(repeating: UInt8(1), count: 30)
    #expect(
      server.answer(.readMultipleVariableRequest, values: [[1], long])
        == .readMultipleVariableResponse([.init(length: 1, value: [1]), .init(length: 30, value: Array(long.prefix(17)))]))
  }
}
