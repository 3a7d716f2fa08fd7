import BLEWire
@testable import GATTStack
import TestSupport
import Testing

struct GATTServerTests {
  private func server() -> GATTServer {
    GATTServer(database: AttributeDatabase([.init(handle: AttributeHandle(3), type: BluetoothUUID(0x2A00 as UInt16), value: [1])]))
  }

  private let three = AttributeHandle(3)

  @Test(arguments: [
    ("02 17", "01 02 0000 04"), ("0a", "01 0a 0000 04"), ("0a 0300 00", "01 0a 0000 04"), ("12 03", "01 12 0000 04"),
    ("10 0100", "01 10 0000 04"), ("18", "01 18 0000 04"), ("08 0100 ffff 002800", "01 08 0000 04"), ("3f 0102", "01 3f 0000 06"),
    ("04 0100 ffff", "05 01 0300 002a"), ("0e 0300", "01 0e 0000 04"), ("1d 0300 01", "1e"),
  ])
  func isAnsweredAtOnce(request: String, answer: String) throws {
    var server = server()
    #expect(server.receive(hex(request)) == .respond(try ATTPDU(parsing: hex(answer))))
  }

  @Test(arguments: ["", "52", "52 03", "7f 0102", "d2 0300 01", "13 00", "0b", "1b 0300 01"])
  func isNeverAnswered(pdu: String) {
    var server = server()
    switch server.receive(hex(pdu)) {
    case .ignored, .response: break
    case let other: Issue.record("\(pdu): \(other)")
    }
  }

  @Test func valuesAreAskedOfTheOwner() {
    var server = server()
    #expect(server.receive(hex("0a 0300")) == .value(.read(three, offset: 0, request: .readRequest)))
    #expect(server.receive(hex("0c 0300 0a00")) == .value(.read(three, offset: 10, request: .readBlobRequest)))
    #expect(server.receive(hex("12 0300 07")) == .value(.write(three, [7], request: .writeRequest)))
    #expect(server.receive(hex("52 0300 07")) == .value(.command(three, [7])))
    #expect(server.receive(hex("d2 0300 07 000102030405060708090a0b")) == .value(.command(three, [7])))
    #expect(
      server.receive(hex("20 0300 0400")) == .value(.readMultiple([three, AttributeHandle(4)], request: .readMultipleVariableRequest)))
    #expect(server.receive(hex("02 4000")) == .exchangeMTU(64))
    #expect(server.receive(hex("1e")) == .confirmation)
    #expect(server.receive(hex("03 4000")) == .response(.exchangeMTUResponse(serverMTU: 64)))
  }

  @Test(arguments: [(23, 517, 23), (10, 517, 23), (185, 64, 64), (0, 0, 23), (517, 517, 517)])
  func theSmallerMTUHoldsAndNoneIsBelow23(client: Int, own: Int, agreed: Int) {
    var server = server()
    server.agree(client: client, server: own)
    #expect(server.mtu == agreed)
  }

  @Test func partsThatFollowEachOtherAreOneValue() {
    var server = server()
    for (offset, part) in [(0, [1, 2]), (2, [3]), (9, [4])] as [(Int, [UInt8])] {
      #expect(
        server.receive(ATTPDU.prepareWriteRequest(handle: three, offset: UInt16(offset), part: part).bytes)
          == .value(.prepare(three, offset: offset, part: part)))
      server.queue(three, offset: offset, part: part)
    }
    let values: [GATTServer.PreparedValue] = [
      .init(handle: three, offset: 0, value: [1, 2, 3]), .init(handle: three, offset: 9, value: [4]),
    ]
    #expect(server.receive(hex("18 01")) == .value(.execute(values, cancel: false)))
    #expect(server.receive(hex("18 01")) == .value(.execute([], cancel: false)))
  }

  @Test func cancellingDropsTheParts() {
    var server = server()
    server.queue(three, offset: 0, part: [1])
    #expect(server.receive(hex("18 00")) == .value(.execute([], cancel: true)))
    #expect(server.receive(hex("18 01")) == .value(.execute([], cancel: false)))
  }

  @Test(arguments: [18, 1, 0])
  func theQueueHasALimit(size: Int) throws {
    var server = server()
    let part = Array(repeating: UInt8(1), count: size)
    let full = GATTServer.queueLimit / max(1, size)
    for number in 0..<full {
      guard case .value = server.receive(ATTPDU.prepareWriteRequest(handle: three, offset: UInt16(number), part: part).bytes) else {
        Issue.record("part \(number) was refused")
        return
      }
      server.queue(three, offset: number, part: part)
    }
    let refusal = GATTServer.Outcome.respond(.errorResponse(request: .prepareWriteRequest, handle: three, error: .prepareQueueFull))
    #expect(server.receive(ATTPDU.prepareWriteRequest(handle: three, offset: 0, part: part).bytes) == refusal)
    _ = server.receive(hex("18 00"))
    #expect(server.receive(ATTPDU.prepareWriteRequest(handle: three, offset: 0, part: part).bytes) != refusal)
  }

  @Test func readsAreCutAndChecked() {
    var server = server()
    let value = Array(UInt8(0)..<30)
    #expect(server.answer(.readRequest, handle: three, value: value, offset: 0) == .readResponse(value: Array(value[0..<22])))
    #expect(server.answer(.readBlobRequest, handle: three, value: value, offset: 22) == .readBlobResponse(part: Array(value[22...])))
    #expect(server.answer(.readBlobRequest, handle: three, value: value, offset: 30) == .readBlobResponse(part: []))
    #expect(
      server.answer(.readBlobRequest, handle: three, value: value, offset: 31)
        == .errorResponse(request: .readBlobRequest, handle: three, error: .invalidOffset))
    server.agree(client: 64, server: 64)
    #expect(server.answer(.readRequest, handle: three, value: value, offset: 0) == .readResponse(value: value))
  }

  @Test func readMultiple() {
    let server = server()
    let values: [[UInt8]] = [[1, 2], [], Array(repeating: 3, count: 30), [4]]
    #expect(server.answer(.readMultipleRequest, values: values) == .readMultipleResponse(values: [1, 2] + Array(repeating: 3, count: 20)))
    #expect(
      server.answer(.readMultipleVariableRequest, values: values)
        == .readMultipleVariableResponse([
          .init(length: 2, value: [1, 2]), .init(length: 0, value: []), .init(length: 30, value: Array(repeating: 3, count: 14)),
        ]))
  }
}
