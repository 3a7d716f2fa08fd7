import BLEWire
import TestSupport
import Testing

struct HCITests {
  @Test func connectionCompleteInItsThreeForms() throws {
    let common = "00 4000 01 01 5544332211c0"
    let tail = "2400 0100 2a00 05"
    for (form, text) in [
      (LEConnectionComplete.Form.legacy, "01 \(common) \(tail)"), (.enhanced, "0a \(common) 060504030201 665544332241 \(tail)"),
      (.enhancedV2, "29 \(common) 060504030201 665544332241 \(tail) 03 0700"),
    ] {
      let parameters = hex(text)
      let event: [UInt8] = [0x3E, UInt8(parameters.count)] + parameters
      var found: LEConnectionComplete?
      if case .leConnectionComplete(let complete) = try HCIEventView(parsing: event.byteSpan) { found = complete }
      let complete = try #require(found)
      #expect(complete.form == form)
      #expect(complete.status == .success)
      #expect(complete.handle == ConnectionHandle(0x40))
      #expect(complete.role == 1)
      #expect(complete.peer == BluetoothAddress(0xC011_2233_4455, kind: .random))
      #expect((complete.interval, complete.latency, complete.timeout) == (0x24, 1, 0x2A))
      #expect(complete.clockAccuracy == 5)
      #expect(complete.peerResolvable == (form == .legacy ? 0 : 0x4122_3344_5566))
      #expect(complete.localResolvable == (form == .legacy ? 0 : 0x0102_0304_0506))
      #expect(complete.advertisingHandle == (form == .enhancedV2 ? 3 : 0xFF))
      #expect(complete.syncHandle == (form == .enhancedV2 ? 7 : 0xFFFF))
      var writer = ByteWriter()
      complete.write(to: &writer)
      #expect(writer.bytes == parameters)
    }
  }

  /// What an event is read as, in words, because views can't leave the bytes they borrow.
  private func describe(_ text: String) throws -> String {
    let bytes = hex(text)
    switch try HCIEventView(parsing: bytes.byteSpan) {
    case .connectionComplete(let status, let handle, let peer, let linkType):
      return "connected \(status.rawValue) \(handle) \(peer) \(linkType)"
    case .disconnectionComplete(let status, let handle, let reason): return "disconnected \(status.rawValue) \(handle) \(reason.rawValue)"
    case .encryptionChange(let status, let handle, let enabled): return "encryption \(status.rawValue) \(handle) \(enabled)"
    case .encryptionKeyRefreshComplete(let status, let handle): return "refresh \(status.rawValue) \(handle)"
    case .numberOfCompletedPackets(var list):
      var text = "completed"
      while let (handle, packets) = list.next() { text += " \(handle):\(packets)" }
      return text
    case .commandComplete(let opcode, let parameters): return "complete \(opcode.rawValue) \(Hexadecimal.encode(parameters.array))"
    case .commandStatus(let status, let opcode): return "status \(status.rawValue) \(opcode.rawValue)"
    case .leConnectionComplete(let complete): return "LE connected \(complete.handle)"
    case .leConnectionUpdateComplete(let status, let handle, let interval, let latency, let timeout):
      return "update \(status.rawValue) \(handle) \(interval) \(latency) \(timeout)"
    case .leDataLengthChange(let handle, let transmit, let receive): return "length \(handle) \(transmit) \(receive)"
    case .lePHYUpdateComplete(let status, let handle, let transmit, let receive):
      return "PHY \(status.rawValue) \(handle) \(transmit) \(receive)"
    case .leAdvertisingReport(var list), .leExtendedAdvertisingReport(var list):
      var text = "reports"
      while list.next({ report, data in
        text +=
          " [\(report.kind.rawValue) \(report.address) \(report.address.kind.rawValue) \(report.rssi) \(Hexadecimal.encode(data.array))]"
      }) {}
      return text
    case .leLongTermKeyRequest(let handle): return "key \(handle)"
    case .leRemoteConnectionParameterRequest(let handle, let range):
      return "parameters \(handle) \(range.intervalMinimum) \(range.intervalMaximum) \(range.latency) \(range.timeout)"
    case .leMeta(let subevent, let parameters): return "LE \(subevent.rawValue) \(Hexadecimal.encode(parameters.array))"
    case .other(let code, let parameters): return "event \(code.rawValue) \(Hexadecimal.encode(parameters.array))"
    }
  }

  @Test(arguments: [
    ("03 0b 00 0100 665544332211 01 00", "connected 0 0x0001 11:22:33:44:55:66 1"),
    ("05 04 00 4000 13", "disconnected 0 0x0040 19"), ("05 04 00 40f0 13", "disconnected 0 0x0040 19"),
    ("08 04 00 4000 01", "encryption 0 0x0040 1"), ("59 05 00 4000 01 10", "encryption 0 0x0040 1"), ("30 03 00 4000", "refresh 0 0x0040"),
    ("13 05 01 4000 0200", "completed 0x0040:2"), ("13 09 02 4000 0200 4100 0100", "completed 0x0040:2 0x0041:1"),
    ("13 01 00", "completed"),
    ("0e 04 01 030c 00", "complete 3075 00"), ("0e 03 01 030c", "complete 3075 "), ("0f 04 0c 01 0d20", "status 12 8205"),
    ("3e 0a 03 00 4000 2400 0000 2a00", "update 0 0x0040 36 0 42"), ("3e 0b 07 4000 fb00 4808 1b00 4801", "length 0x0040 251 27"),
    ("3e 06 0c 00 4000 02 01", "PHY 0 0x0040 2 1"), ("3e 0d 05 4000 0102030405060708 3412", "key 0x0040"),
    ("3e 0b 06 4000 0600 0c00 0400 f401", "parameters 0x0040 6 12 4 500"), ("3e 03 04 0040", "LE 4 0040"), ("ff 02 abcd", "event 255 abcd"),
    ("05 04 00 4000 13 99", "disconnected 0 0x0040 19"),
    ("3e 02 02 00", "reports"),
    (
      "3e 1d 02 02 00 01 5544332211c0 03 020106 c5 04 00 665544332211 04 03094142 b0",
      "reports [19 C0:11:22:33:44:55 1 -59 020106] [26 11:22:33:44:55:66 0 -80 03094142]"
    ),
    (
      "3e 35 0d 02 1300 01 5544332211c0 01 00 ff 7f c5 0000 00 000000000000 03 020106"
        + "1000 ff 000000000000 01 02 05 7f 7f 0000 00 000000000000 00",
      "reports [19 C0:11:22:33:44:55 1 -59 020106] [16 00:00:00:00:00:00 255 127 ]"
    ),
  ])
  func eventsAreRead(text: String, expected: String) throws { #expect(try describe(text) == expected) }

  @Test(arguments: [
    "", "05", "05 04 00 4000", "05 03 00 4000 13", "13 05 02 4000 0200", "13 01 ff", "3e 00", "3e 02 02 ff", "3e 02 02 01", "3e 02 0d ff",
    "3e 0c 02 01 00 01 5544332211c0 ff 00", "3e 13 01 00 4000 00 01 5544332211c0 2400 0000 2a00",
    "3e 1f 29 00 4000 01 01 5544332211c0 060504030201 665544332241 2400 0100 2a00 05", "08 03 00 4000 01", "3e 02 05 40",
    "3e 09 06 4000 0600 0c00 0400", "0e 02 01 03",
  ])
  func anEventThatIsShorterThanItsLayoutThrows(text: String) {
    #expect(throws: ParseError(.truncated, layer: .hciEvent, offset: 0, needed: 0, available: 0, reason: "")) { try describe(text) }
  }

  private func command(_ text: String) throws -> String {
    let bytes = hex(text)
    switch try HCICommandView(parsing: bytes.byteSpan) {
    case .disconnect(let handle, let reason): return "disconnect \(handle) \(reason.rawValue)"
    case .reset: return "reset"
    case .leCreateConnection(let peer): return "create \(peer?.description ?? "list")"
    case .leCreateConnectionCancel: return "cancel"
    case .leConnectionUpdate(let handle, let low, let high, let latency, let timeout):
      return "update \(handle) \(low) \(high) \(latency) \(timeout)"
    case .leEnableEncryption(let handle): return "encrypt \(handle)"
    case .leExtendedCreateConnection(let peer): return "extended \(peer?.description ?? "list")"
    case .leLongTermKeyRequestNegativeReply(let handle): return "no key \(handle)"
    case .leRemoteConnectionParameterRequestReply(let handle): return "parameters \(handle)"
    case .leRemoteConnectionParameterRequestNegativeReply(let handle, let reason): return "no parameters \(handle) \(reason.rawValue)"
    case .leAddDeviceToResolvingList(let peer, let key): return "resolve \(peer) \(peer.kind.rawValue) \(Hexadecimal.encode(key.array))"
    case .other(let opcode, let parameters): return "other \(opcode.rawValue) \(Hexadecimal.encode(parameters.array))"
    }
  }

  @Test(arguments: [
    ("0604 03 4000 13", "disconnect 0x0040 19"), ("030c 00", "reset"), ("0e20 00", "cancel"), ("0110 00", "other 4097 "),
    ("0d20 19 6000 3000 00 01 5544332211c0 00 1800 2800 0000 2a00 0000 0000", "create C0:11:22:33:44:55"),
    ("0d20 19 6000 3000 01 00 000000000000 00 1800 2800 0000 2a00 0000 0000", "create list"),
    ("1320 0e 4000 0600 0c00 0000 2a00 0000 0000", "update 0x0040 6 12 0 42"), ("1920 02 4000", "encrypt 0x0040"),
    ("4320 0a 00 00 01 5544332211c0 01", "extended C0:11:22:33:44:55"), ("1b20 02 4000", "no key 0x0040"),
    ("2020 0e 4000 0600 0c00 0000 2a00 0000 0000", "parameters 0x0040"), ("2120 03 4000 3b", "no parameters 0x0040 59"),
    (
      "2720 27 01 5544332211c0 000102030405060708090a0b0c0d0e0f 00000000000000000000000000000000",
      "resolve C0:11:22:33:44:55 1 000102030405060708090a0b0c0d0e0f"
    ), ("0110 01 aa bb", "other 4097 aa"),
  ])
  func commandsAreRead(text: String, expected: String) throws { #expect(try command(text) == expected) }

  @Test(arguments: [
    "", "06", "0604", "0604 03 4000", "0604 02 4000 13", "0d20 06 6000 3000 00 01", "1320 02 4000 0000", "1b20 01 40",
    "2720 08 01 5544332211c0 00",
  ])
  func aCommandThatIsShorterThanItsLayoutThrows(text: String) {
    #expect(throws: ParseError(.truncated, layer: .hciCommand, offset: 0, needed: 0, available: 0, reason: "")) { try command(text) }
  }

  @Test func randomEventsAndCommandsNeverTrap() {
    var random = SeededGenerator(seed: 0x4C1)
    let codes: [UInt8] = [0x03, 0x05, 0x08, 0x0E, 0x0F, 0x13, 0x30, 0x3E, 0x59, 0xFF]
    let subevents: [UInt8] = [0x01, 0x02, 0x03, 0x05, 0x06, 0x07, 0x0A, 0x0C, 0x0D, 0x29]
    for _ in 0..<50_000 {
      var bytes = random.bytes(Int.random(in: 0...60, using: &random))
      if bytes.count > 3 {
        bytes[0] = codes[Int.random(in: 0..<codes.count, using: &random)]
        bytes[1] = UInt8(bytes.count - 2)
        bytes[2] = subevents[Int.random(in: 0..<subevents.count, using: &random)]
        if Bool.random(using: &random) { bytes[3] = UInt8.random(in: 0...3, using: &random) }
      }
      _ = try? describe(Hexadecimal.encode(bytes))
      _ = try? command(Hexadecimal.encode(bytes))
    }
  }

  @Test func aclData() throws {
    let bytes = hex("4020 0500 0100 0400 1e 99")
    let packet = try ACLDataView(parsing: bytes.byteSpan)
    let (handle, boundary, length, data) = (packet.handle, packet.boundary, packet.length, packet.data.array)
    #expect(handle == ConnectionHandle(0x40))
    #expect(boundary == .start)
    #expect(length == 5)
    #expect(data == hex("010004001e"))
    let cut = hex("40f0 0500 0100")
    let view = try ACLDataView(parsing: cut.byteSpan)
    let (cutBoundary, kept) = (view.boundary, view.data.byteCount)
    #expect(cutBoundary == .complete)
    #expect(kept == 2)
    let short = hex("402005")
    var failed = false
    do { _ = try ACLDataView(parsing: short.byteSpan) } catch { failed = true }
    #expect(failed)
  }
}
