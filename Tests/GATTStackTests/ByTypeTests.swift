import BLEWire
import GATTStack
import TestSupport
import Testing

/// Core 5.4, Vol 3, Part F, 3.4.4.1: a value is read by its type.
struct ByTypeTests {
  private static let name = GATTClient.Procedure.readByType(BluetoothUUID(0x2A00 as UInt16))

  @Test func theFirstOfATypeIsTold() {
    var client = GATTClient()
    #expect(client.start(Self.name, id: 1) == [.send(hex("080100ffff002a"))])
    #expect(
      client.receive(hex("0905 0300 4142 43 0900 4445 46")) == [
        .finished(id: 1, .success(.attribute(AttributeHandle(3), hex("414243"))))
      ])
  }

  @Test(arguments: [("010801000a", GATTClient.Failure.att(.attributeNotFound)), ("0902", .invalidAnswer), ("09", .invalidAnswer)])
  func thereMayBeNone(answer: String, failure: GATTClient.Failure) {
    var client = GATTClient()
    _ = client.start(Self.name, id: 1)
    #expect(client.receive(hex(answer)) == [.finished(id: 1, .failure(failure))])
  }
}
