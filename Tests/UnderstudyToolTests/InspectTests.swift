import BLEWire
import Foundation
import TestSupport
import Testing

struct InspectTests {
  private let heartStrap = Repository.captures[0].path

  @Test func textShowsPeersAndLinks() throws {
    let result = try Tool.run(["inspect", heartStrap])
    #expect(result.code == 0)
    #expect(result.errors == "")
    #expect(
      result.output == """
        btsnoop, datalink 1002, 189 records, from 2026-11-30T05:09:26.194785Z

        peers
          peer               type            name         services                                                       sessions  ended
          E3:5A:11:0C:77:42  random, static  Heart Strap  1800 1801 180D 180F 180A 5A0E0001-7C43-4D1B-9E0F-3B1D6E8A2C70  2         0x13 Remote User Terminated Connection, 0x16 Connection Terminated by Local Host
        1 advertiser heard

        scenarios
          E3:5A:11:0C:77:42 plays to any central

        links
          link  adapter  handle  role     peer               start                        duration  ended                                     MTU  ATT PDUs  encrypted
          1     0        0x0040  central  E3:5A:11:0C:77:42  2026-11-30T05:09:26.679807Z  4.531 s   0x13 Remote User Terminated Connection    185  68        no
          2     0        0x0041  central  E3:5A:11:0C:77:42  2026-11-30T05:09:31.793318Z  2.387 s   0x16 Connection Terminated by Local Host  185  18        no

        no findings

        """)
  }

  /// Three links with three private addresses of one device, which is paired on the second and whose bond encrypts the third.
  private static let rotated: [UInt8] = {
    var builder = CaptureBuilder()
    for number in 1...3 as ClosedRange<UInt32> {
      builder.connect(peer: .made(with: Array(0..<16), number))
      if number == 2 {
        builder.pair()
        builder.identity(CaptureBuilder.peer, key: Array(0..<16))
      }
      if number == 3 { builder.encrypt() }
      builder.att(.host, hex("0a0300"))
      builder.att(.controller, hex("0b41"))
      builder.disconnect()
    }
    return builder.bytes
  }()

  @Test func pairingAndIdentityAreTold() throws {
    let text = try Tool.run(["inspect", "-"], input: Self.rotated)
    let addresses = (1...3).map { BluetoothAddress.made(with: Array(0..<16), $0).description }
    #expect(
      text.output.contains(
        """

          \(CaptureBuilder.peer) used the addresses \(addresses.joined(separator: " "))

        """))
    #expect(
      text.output.contains(
        """
        pairing
          link 2: LE legacy pairing, passkey entry, bonding, the peripheral sent IRK, done
          link 3: encrypted with a stored key

        """))
    let json = try Tool.run(["inspect", "--json", "-"], input: Self.rotated).output
    for part in [
      #""method": "passkeyEntry""#, #""bonded": true"#, "\"identity\": \"\(CaptureBuilder.peer)\"", #""peripheralKeys": ["#,
    ] {
      #expect(json.contains(part), "\(part)")
    }
    #expect(!text.output.contains("0f0e0d0c") && !json.contains("0f0e0d0c") && !json.contains("00010203"))
  }

  @Test func extractKeepsKeysOnlyWhereAsked() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let output = folder.appending(path: "made.json5")
    for options in [[], ["--keys"]] {
      let result = try Tool.run(["extract", "-", "-o", output.path] + options, input: Self.rotated)
      #expect((result.code, result.errors) == (0, ""))
      let made = try String(contentsOf: output, encoding: .utf8)
      #expect(made.contains("irk: \"000102030405060708090a0b0c0d0e0f\"") == !options.isEmpty)
      #expect(made.contains("address: \"\(CaptureBuilder.peer)\""))
      let check = try Tool.run(["check", "--replay", output.path])
      #expect(check.code == 0)
    }
  }

  /// A conversation that a sniffer heard, in standard input.
  private static let heard: [UInt8] = {
    var builder = AirBuilder(.bare)
    builder.connect()
    builder.att(.central, hex("0a0300"))
    builder.att(.peripheral, hex("0b41"))
    builder.send(.control(hex("0213")), from: .peripheral)
    return builder.bytes
  }()

  @Test func linksOfASnifferStandInTheSameTable() throws {
    let result = try Tool.run(["inspect", "-"], input: Self.heard)
    #expect(result.code == 0)
    #expect(
      result.output == """
        pcap, link type 251 (BLUETOOTH_LE_LL), 7 records, from 2023-11-14T22:13:20.000000Z

        peers
          peer               type            name  services  sessions  ended
          C0:11:22:33:44:55  random, static  -     -         1         0x13 Remote User Terminated Connection

        scenarios
          C0:11:22:33:44:55 plays to its recorded central only: its services were not discovered; see extract --gatt

        links
          link  adapter  handle      role      peer               start                        duration  ended                                   MTU  ATT PDUs  encrypted
          1     0        0x50656a3c  observer  C0:11:22:33:44:55  2023-11-14T22:13:20.000000Z  0.005 s   0x13 Remote User Terminated Connection  23   2         no

        no findings

        """)
    let list = try Tool.run(["inspect", "--att", "-"], input: Self.heard)
    #expect(
      list.output == """
        2\t1700000000.001000000\t1\t0x50656a3c\t>\t0a0300\tRead Request\t0x0003
        5\t1700000000.003300000\t1\t0x50656a3c\t<\t0b41\tRead Response\t0x0003

        """)
    let json = try Tool.run(["inspect", "--json", "-"], input: Self.heard)
    let document = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    let link = try #require((document["links"] as? [[String: Any]])?.first)
    #expect(link["handle"] is NSNull && link["localRole"] is NSNull)
    #expect(link["accessAddress"] as? String == "0x50656a3c")
    let air = try #require(link["air"] as? [String: Any])
    #expect(air["central"] as? String == "41:22:33:44:55:66")
    #expect(air["endedBy"] as? String == "peripheral")
    #expect(air["packets"] as? Int == 6)
  }

  @Test func attListsEveryPDU() throws {
    let result = try Tool.run(["inspect", "--att", heartStrap])
    #expect(result.code == 0)
    let lines = result.output.split(separator: "\n")
    #expect(lines.count == 86)
    #expect(lines[0] == "49\t1796015366.740615000\t1\t0x0040\t>\t02b900\tExchange MTU Request\t")
    #expect(
      lines[3]
        == "55\t1796015366.861190000\t1\t0x0040\t<\t11060100050000180600090001180a0011000d18120015000f1816001c000a18\tRead By Group Type Response\t0x0001"
    )
    #expect(lines.allSatisfy { $0.filter { $0 == "\t" }.count == 7 })
  }

  @Test func jsonHoldsTheSame() throws {
    let result = try Tool.run(["inspect", "--json", heartStrap])
    #expect(result.code == 0)
    let document = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    #expect(document["format"] as? String == "btsnoop")
    #expect(document["linkType"] as? Int == 1002)
    #expect(document["records"] as? Int == 189)
    #expect(document["start"] as? String == "2026-11-30T05:09:26.194785Z")
    for key in ["failedConnections", "strayDisconnections", "findings"] { #expect((document[key] as? [Any])?.isEmpty == true) }
    #expect((document["advertisers"] as? [[String: Any]])?.compactMap { $0["name"] as? String } == ["Heart Strap"])
    let links = try #require(document["links"] as? [[String: Any]])
    #expect(links.count == 2)
    let link = links[0]
    #expect(link["index"] as? Int == 1)
    #expect(link["handle"] as? Int == 0x40)
    #expect(link["adapter"] as? Int == 0)
    #expect(link["peer"] as? String == "E3:5A:11:0C:77:42")
    #expect(link["peerAddressType"] as? String == "random")
    #expect(link["localRole"] as? String == "central")
    #expect(link["startFrame"] as? Int == 45)
    #expect(link["start"] as? String == "2026-11-30T05:09:26.679807Z")
    #expect(link["endFrame"] as? Int == 147)
    #expect(link["end"] as? String == "2026-11-30T05:09:31.211171Z")
    #expect(link["endReason"] as? Int == 0x13)
    #expect(link["status"] as? Int == 0)
    #expect(link["mtu"] as? Int == 185)
    #expect(link["encrypted"] as? Bool == false)
    #expect(link["attPDUs"] as? Int == 68)
    let services = try #require(link["gatt"] as? [[String: Any]])
    #expect(
      services.compactMap { $0["uuid"] as? String } == ["1800", "1801", "180D", "180F", "180A", "5A0E0001-7C43-4D1B-9E0F-3B1D6E8A2C70"])
    #expect(services.compactMap { $0["handle"] as? Int } == [1, 6, 10, 18, 22, 29])
    let rate = try #require((services[2]["characteristics"] as? [[String: Any]])?.first)
    #expect(rate["uuid"] as? String == "2A37")
    #expect(rate["handle"] as? Int == 11)
    #expect(rate["valueHandle"] as? Int == 12)
    #expect(rate["properties"] as? [String] == ["notify"])
    #expect((rate["descriptors"] as? [[String: Any]])?.compactMap { $0["uuid"] as? String } == ["2902"])
    #expect(try Tool.run(["inspect", heartStrap, "--json"]).output == result.output)
  }

  @Test func aFileThatCannotBeReadDoesNotStopTheOthers() throws {
    for form in [[], ["--json"], ["--att"]] {
      let result = try Tool.run(["inspect", "/nonexistent.btsnoop", heartStrap] + form)
      #expect(result.code == 3)
      #expect(
        result.errors
          == "understudy: /nonexistent.btsnoop: cannot be opened: No such file or directory; check the name and its permissions\n")
      switch form {
      case ["--json"]:
        let documents = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]])
        #expect(documents.count == 2)
        #expect(documents[1]["records"] as? Int == 189)
      case ["--att"]: #expect(result.output.split(separator: "\n").count == 87)
      default: #expect(result.output.contains("== \(heartStrap) ==\nbtsnoop"))
      }
    }
    let single = try Tool.run(["inspect", "--json", "/nonexistent.btsnoop"])
    #expect(single.code == 3)
    #expect(single.output == "")
  }

  @Test func standardInputIsACaptureToo() throws {
    let bytes = [UInt8](try Data(contentsOf: Repository.captures[0]))
    let result = try Tool.run(["inspect", "-"], input: bytes)
    #expect(result.code == 0)
    #expect(result.output == (try Tool.run(["inspect", heartStrap]).output))
    let empty = try Tool.run(["inspect", "-"], input: [])
    #expect(empty.code == 3)
    #expect(empty.errors.hasPrefix("understudy: standard input: is empty"))
  }

  @Test func namesCannotControlTheTerminal() throws {
    var builder = CaptureBuilder()
    builder.event(0x3E, hex("02 01 00 01 5544332211c0 0b 0a09 411b5b326a07e280ae c5"))
    builder.connect()
    let result = try Tool.run(["inspect", "-"], input: builder.bytes)
    #expect(result.output.contains("A\\u{1b}[2j\\u{7}\\u{202e}"))
    let json = try Tool.run(["inspect", "-", "--json"], input: builder.bytes)
    #expect(!json.output.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    let document = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    #expect((document["advertisers"] as? [[String: Any]])?.first?["name"] as? String == "A\u{1B}[2j\u{7}\u{202E}")
  }

  @Test func findingsAreGroupedWithExamples() throws {
    var builder = CaptureBuilder()
    builder.connect(status: .connectionFailedToBeEstablished)
    builder.disconnect(0x77)
    builder.connect()
    for _ in 0..<150 { builder.acl(.controller, hex("0a03"), boundary: 1) }
    let result = try Tool.run(["inspect", "-"], input: builder.bytes + [0])
    #expect(result.code == 0)
    #expect(result.output.contains("\nfailed connections\n"))
    #expect(result.output.contains("0x3e Connection Failed to be Established"))
    #expect(result.output.contains("\ndisconnections of links that the capture does not show\n"))
    #expect(result.output.contains("  warning cutLastRecord, 1 in all\n"))
    #expect(result.output.contains("  warning missingStart, 150 in all\n    frame 4: "))
    #expect(result.output.split(separator: "\n").filter { $0.contains("a continuation of 2 bytes") }.count == 3)
  }
}
