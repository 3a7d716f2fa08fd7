import BLEWire
import GATTStack
import TestSupport
import Testing

/// Each test is a list of PDUs in order.
struct GATTClientTests {
  private let one = AttributeHandle(1)
  private let three = AttributeHandle(3)
  private let last = AttributeHandle(0xFFFF)

  @Test func exchangeMTU() {
    var script = Script()
    script.start(.exchangeMTU(185))
    #expect(script.play("> 02 b900", "< 03 0002", "= 1 mtu 185") == [])
    #expect(script.client.mtu == 185)
    script.start(.exchangeMTU(517))
    #expect(script.play("> 02 0502", "< 03 0500", "= 1 mtu 23") == [])
    #expect(script.client.mtu == 23)
    script.start(.exchangeMTU(100))
    #expect(script.play("> 02 6400", "< 01 02 0000 06", "= 1 mtu 23") == [])
    script.start(.exchangeMTU(100))
    #expect(script.play("> 02 6400", "< 01 02 0000 0e", "= 1 error 14") == [])
  }

  @Test func discoverServices() {
    var script = Script()
    script.start(.discoverServices(nil))
    #expect(
      script.play(
        "> 10 0100 ffff 0028", "< 11 06 0100 0500 0018 0600 0900 0f18", "> 10 0a00 ffff 0028",
        "< 11 14 1000 ffff 0102030405060708090a0b0c0d0e0f10",
        "= 1 services 1800@1-5 180F@6-9 100F0E0D-0C0B-0A09-0807-060504030201@16-65535") == [])
    script.start(.discoverServices(nil))
    #expect(script.play("> 10 0100 ffff 0028", "< 01 10 0100 0a", "= 1 services") == [])
    script.start(.discoverServices(nil))
    #expect(script.play("> 10 0100 ffff 0028", "< 01 10 0100 05", "= 1 error 5") == [])
  }

  @Test func discoverServicesByUUID() {
    var script = Script()
    script.start(.discoverServices(BluetoothUUID(0x180F as UInt16)))
    #expect(
      script.play(
        "> 06 0100 ffff 0028 0f18", "< 07 0600 0900 2000 2f00", "> 06 3000 ffff 0028 0f18", "< 01 06 3000 0a",
        "= 1 services 180F@6-9 180F@32-47") == [])
  }

  @Test func discoverIncludes() {
    var script = Script()
    script.start(.discoverIncludedServices(start: one, end: AttributeHandle(9)))
    #expect(
      script.play(
        "> 08 0100 0900 0228", "< 09 08 0200 2000 2900 0f18", "> 08 0300 0900 0228", "< 09 06 0300 4000 4900", "> 0a 4000",
        "< 0b 0102030405060708090a0b0c0d0e0f10", "> 08 0400 0900 0228", "< 01 08 0400 0a",
        "= 1 includes 180F@2:32-41 100F0E0D-0C0B-0A09-0807-060504030201@3:64-73") == [])
    script.start(.discoverIncludedServices(start: one, end: AttributeHandle(9)))
    #expect(script.play("> 08 0100 0900 0228", "< 09 07 0200 2000 2900 0f", "= 1 invalidAnswer") == [])
    script.start(.discoverIncludedServices(start: one, end: last))
    #expect(
      script.play(
        "> 08 0100 ffff 0228", "< 09 06 ffff 4000 4900", "> 0a 4000", "< 0b 0f18", "= 1 includes 180F@65535:64-73") == [])
  }

  @Test func discoverCharacteristics() {
    var script = Script()
    script.start(.discoverCharacteristics(start: one, end: AttributeHandle(9)))
    #expect(
      script.play(
        "> 08 0100 0900 0328", "< 09 07 0200 10 0300 372a", "> 08 0300 0900 0328",
        "< 09 15 0800 02 0900 0102030405060708090a0b0c0d0e0f10", "> 08 0900 0900 0328", "< 01 08 0900 0a",
        "= 1 characteristics 2A37@2:3/16 100F0E0D-0C0B-0A09-0807-060504030201@8:9/2") == [])
  }

  @Test func discoverDescriptors() {
    var script = Script()
    script.start(.discoverDescriptors(start: AttributeHandle(4), end: AttributeHandle(5)))
    #expect(script.play("> 04 0400 0500", "< 05 01 0400 0229 0500 0129", "= 1 descriptors 2902@4 2901@5") == [])
    // A characteristic without room for descriptors is not asked about.
    script.start(.discoverDescriptors(start: AttributeHandle(5), end: AttributeHandle(4)))
    #expect(script.play("= 1 descriptors") == [])
  }

  @Test func read() {
    var script = Script()
    script.start(.read(three))
    #expect(script.play("> 0a 0300", "< 0b 0102", "= 1 value 0102") == [])
    script.start(.read(three))
    #expect(script.play("> 0a 0300", "< 0b", "= 1 value ") == [])
    script.start(.read(three))
    #expect(script.play("> 0a 0300", "< 01 0a 0300 02", "= 1 error 2") == [])
  }

  @Test func longReadOfAMultipleOfThePart() {
    let part = String(repeating: "ab", count: 22)
    for end in ["< 0d", "< 01 0c 0300 07", "< 01 0c 0300 0b"] {
      var script = Script()
      script.start(.read(three))
      #expect(
        script.play("> 0a 0300", "< 0b \(part)", "> 0c 0300 1600", "< 0d \(part)", "> 0c 0300 2c00", end, "= 1 value \(part)\(part)") == [],
        "\(end)")
    }
    var script = Script()
    script.start(.read(three))
    #expect(script.play("> 0a 0300", "< 0b \(part)", "> 0c 0300 1600", "< 0d 01", "= 1 value \(part)01") == [])
  }

  @Test func aValueEndsAt512Bytes() {
    var script = Script()
    script.client.mtu = 257
    let part = String(repeating: "cd", count: 256)
    script.start(.read(three))
    #expect(script.play("> 0a 0300", "< 0b \(part)", "> 0c 0300 0001", "< 0d \(part)", "= 1 value \(part)\(part)") == [])
  }

  @Test func write() {
    var script = Script()
    script.start(.write(three, [1, 2]))
    #expect(script.play("> 12 0300 0102", "< 13", "= 1 written") == [])
    script.start(.write(three, [1, 2]))
    #expect(script.play("> 12 0300 0102", "< 01 12 0300 03", "= 1 error 3") == [])
  }

  private static let long = Array(UInt8(0)..<40)
  private static let parts = [0..<18, 18..<36, 36..<40].map { range in
    "0300 \(Hexadecimal.encode([UInt8(range.lowerBound)]))00 \(Hexadecimal.encode(Array(long[range])))"
  }

  @Test func longWrite() {
    let p = Self.parts
    var script = Script()
    script.start(.write(three, Self.long))
    #expect(
      script.play(
        "> 16 \(p[0])", "< 17 \(p[0])", "> 16 \(p[1])", "< 17 \(p[1])", "> 16 \(p[2])", "< 17 \(p[2])", "> 18 01", "< 19", "= 1 written")
        == [])
    script.start(.write(three, Self.long))
    #expect(
      script.play(
        "> 16 \(p[0])", "< 17 \(p[0])", "> 16 \(p[1])", "< 17 \(p[1])", "> 16 \(p[2])", "< 17 \(p[2])", "> 18 01", "< 01 18 0300 0d",
        "= 1 error 13") == [])
  }

  @Test func anEchoThatDiffersCancels() {
    let p = Self.parts
    for wrong in ["< 17 0300 0000 ff", "< 17 0400" + p[0].dropFirst(4), "< 17 0300 01"] {
      var script = Script()
      script.start(.write(three, Self.long))
      let failure = wrong.hasSuffix("00 01") ? "invalidAnswer" : "echoMismatch"
      #expect(script.play("> 16 \(p[0])", wrong, "> 18 00", "< 19", "= 1 \(failure)") == [], "\(wrong)")
    }
  }

  @Test func aRefusedPartCancels() {
    let p = Self.parts
    var script = Script()
    script.start(.write(three, Self.long))
    #expect(
      script.play("> 16 \(p[0])", "< 17 \(p[0])", "> 16 \(p[1])", "< 01 16 0300 09", "> 18 00", "< 01 18 0000 0e", "= 1 error 9") == [])
  }

  @Test func aLongWriteGoesOnInPartsWhenTheMTUGrows() {
    let p = Self.parts
    var script = Script()
    script.start(.write(three, Self.long))
    #expect(
      script.play(
        "> 16 \(p[0])", "< 02 0002", "> 03 0502", "< 17 \(p[0])", "> 16 0300 1200 \(Hexadecimal.encode(Array(Self.long[18...])))",
        "< 17 0300 1200 \(Hexadecimal.encode(Array(Self.long[18...])))", "> 18 01", "< 19", "= 1 written") == [])
    script = Script()
    script.start(.write(three, Self.long))
    #expect(script.play("> 16 \(p[0])", "< 02 0002", "> 03 0502", "< 01 16 0300 03", "> 18 00", "< 19", "= 1 error 3") == [])
  }

  @Test func aLongReadGoesOnWhenTheMTUGrows() {
    var script = Script()
    let part = String(repeating: "ab", count: 22)
    script.start(.read(three))
    #expect(
      script.play("> 0a 0300", "< 02 4000", "> 03 0502", "< 0b \(part)", "> 0c 0300 1600", "< 0d 01", "= 1 value \(part)01") == [])
    #expect(script.client.mtu == 64)
  }

  @Test func handlesThatGoBackEnd() {
    var script = Script()
    script.start(.discoverServices(nil))
    #expect(
      script.play(
        "> 10 0100 ffff 0028", "< 11 06 0600 0900 0018", "> 10 0a00 ffff 0028", "< 11 06 0100 0500 0118", "= 1 invalidAnswer") == [])
    script.start(.discoverServices(nil))
    #expect(script.play("> 10 0100 ffff 0028", "< 11 06 0600 0500 0018", "= 1 invalidAnswer") == [])
    script.start(.discoverServices(nil))
    #expect(
      script.play(
        "> 10 0100 ffff 0028", "< 11 06 0600 0900 0018 0200 0300 0118", "> 10 0a00 ffff 0028", "< 01 10 0a00 0a",
        "= 1 services 1800@6-9 1801@2-3") == [])
    script.start(.discoverCharacteristics(start: three, end: AttributeHandle(9)))
    #expect(script.play("> 08 0300 0900 0328", "< 09 07 0200 10 0300 372a", "= 1 invalidAnswer") == [])
    script.start(.discoverCharacteristics(start: three, end: AttributeHandle(9)))
    #expect(script.play("> 08 0300 0900 0328", "< 09 07 0a00 10 0b00 372a", "= 1 invalidAnswer") == [])
    script.start(.discoverDescriptors(start: three, end: AttributeHandle(9)))
    #expect(script.play("> 04 0300 0900", "< 05 01 0200 0229", "= 1 invalidAnswer") == [])
    script.start(.discoverServices(BluetoothUUID(0x180F as UInt16)))
    #expect(script.play("> 06 0100 ffff 0028 0f18", "< 07 0600 0500", "= 1 invalidAnswer") == [])
  }

  @Test(arguments: ["11", "11 06", "11 06 0100 0500", "11 00", "11 02 0100", "11 07 0100 0500 001801"])
  func emptyAndUnevenListsEnd(answer: String) {
    var script = Script()
    script.start(.discoverServices(nil))
    #expect(script.play("> 10 0100 ffff 0028", "< \(answer)", "= 1 invalidAnswer") == [])
  }

  @Test func aServerThatNeverEndsIsLeftAtTheLastHandle() {
    // It claims a service at whatever handle is asked for; the client still comes to an end.
    var client = GATTClient()
    var outputs = client.start(.discoverServices(nil), id: 1)
    var rounds = 0
    while case .send(let request)? = outputs.first {
      rounds += 1
      outputs = client.receive(hex("1106") + request[1...2] + request[1...2] + hex("0018"))
    }
    #expect(rounds == 65535)
    #expect(Script.text(outputs[0]).hasPrefix("= 1 services 1800@1-1 1800@2-2"))
  }

  @Test func answersToSomethingElseArePassedOver() {
    var script = Script()
    #expect(script.play("< 13", "< 01 0a 0300 02", "< 0b 01", "< 11", "<") == [])
    script.start(.read(three))
    #expect(script.play("> 0a 0300", "< 13", "< 01 12 0300 02", "< 11", "< 0b 07", "= 1 value 07") == [])
  }

  @Test func valuesComeDuringAProcedure() {
    var script = Script()
    script.start(.read(three))
    #expect(
      script.play(
        "> 0a 0300", "< 1b 0500 01", "= notified 5 01", "< 1d 0600 02", "> 1e", "= indicated 6 02", "< 23 0500 0100 aa 0600 0200 bbcc",
        "= notified 5 aa", "= notified 6 bbcc", "< 1b 05", "< 0b 09", "= 1 value 09") == [])
  }

  @Test func theServersOwnRequests() {
    var script = Script()
    #expect(
      script.play(
        "< 02 6400", "> 03 0502", "< 02 64", "> 01 02 0000 04", "< 10 0100 ffff 0028", "> 01 10 0100 0a", "< 04 0000 ffff",
        "> 01 04 0000 01",
        "< 08 0500 0400 0328", "> 01 08 0500 01", "< 0a 0300", "> 01 0a 0300 01", "< 12 0300 01", "> 01 12 0300 01", "< 18 01",
        "> 01 18 0000 06", "< 3f 01", "> 01 3f 0000 06", "< 52 0300 01", "< 7f 01") == [])
    #expect(script.client.mtu == 100)
  }

  @Test func disconnectionFailsAllInOrder() {
    var script = Script()
    script.start(.read(three), id: 1)
    script.start(.write(three, [1]), id: 2)
    script.start(.exchangeMTU(99), id: 3)
    script.disconnect()
    #expect(script.play("> 0a 0300", "= 1 disconnected", "= 2 disconnected", "= 3 disconnected") == [])
    #expect(!script.client.isWaiting)
    script.start(.read(three), id: 4)
    #expect(script.play("> 0a 0300", "< 0b 01", "= 4 value 01") == [])
  }

  @Test func proceduresWaitForEachOther() {
    var script = Script()
    script.start(.read(three), id: 1)
    script.start(.write(three, [1]), id: 2)
    #expect(script.play("> 0a 0300", "< 01 0a 0300 01", "= 1 error 1", "> 12 0300 01", "< 13", "= 2 written") == [])
  }

  @Test func randomBytesNeverTrap() {
    var random = SeededGenerator(seed: 4)
    let opcodes: [UInt8] = [1, 2, 3, 5, 7, 9, 0x0B, 0x0D, 0x11, 0x13, 0x17, 0x19, 0x1B, 0x1D, 0x23]
    for _ in 0..<2000 {
      var client = GATTClient()
      _ = client.start(.discoverServices(nil), id: 1)
      _ = client.start(.discoverIncludedServices(start: AttributeHandle(1), end: AttributeHandle(20)), id: 2)
      _ = client.start(.discoverCharacteristics(start: AttributeHandle(1), end: AttributeHandle(20)), id: 3)
      _ = client.start(.discoverDescriptors(start: AttributeHandle(1), end: AttributeHandle(20)), id: 4)
      _ = client.start(.write(AttributeHandle(3), Self.long), id: 5)
      for _ in 0..<40 {
        _ = client.receive([opcodes.randomElement(using: &random) ?? 1] + random.bytes(Int.random(in: 0...24, using: &random)))
      }
    }
  }
}
