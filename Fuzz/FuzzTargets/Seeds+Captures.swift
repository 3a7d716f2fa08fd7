import ByteParsing
import CaptureFiles
import TestSupport

extension Seeds {
  private static let start = CaptureTime(seconds: 1_700_000_000, nanoseconds: 0)

  static func btsnoop() throws -> [String: [UInt8]] {
    var seeds: [String: [UInt8]] = [:]
    for name in Repository.captureNames { seeds[name] = log(try packets(name, from: 20)) }
    seeds["monitor"] = log(try packets("heart-strap", byteLimit: 1500), .monitor)
    seeds["without-indicators"] = log(try packets("heart-strap", from: 40, byteLimit: 1500), .hciUnencapsulated)
    var builder = CaptureBuilder()
    builder.connect()
    builder.acl(.controller, CaptureBuilder.l2cap([0x1B, 3, 0, 1, 2, 3, 4]), kept: 6)
    builder.packet([], .command, .host, drops: 3)
    builder.time = CaptureTime(microseconds: 1_700_000_000_000_000 - 5_000_000)
    builder.disconnect()
    seeds["cut-lost-backwards"] = builder.bytes
    seeds["cut-end"] = Array(builder.bytes.dropLast(7))
    return seeds
  }

  static func packetLogger() throws -> [String: [UInt8]] {
    var seeds: [String: [UInt8]] = [:]
    for layout in PacketLoggerBuilder.Layout.allCases {
      var builder = PacketLoggerBuilder(layout)
      for (number, packet) in try packets("serial-bridge", from: 15, byteLimit: 1500).enumerated() {
        let received = packet.direction == .controllerToHost
        let types: [UInt8: UInt8] = [1: 0, 2: received ? 3 : 2, 3: received ? 9 : 8, 4: 1]
        builder.record(packet.bytes, type: types[packet.indicator] ?? 0xFC, time: packet.time)
        if number % 8 == 0 { builder.record(Array("a line of the log".utf8), type: 0xFC, time: packet.time) }
      }
      seeds["\(layout)"] = builder.bytes
    }
    return seeds
  }

  static func pcap() throws -> [String: [UInt8]] {
    var seeds: [String: [UInt8]] = [:]
    let packets = try packets("thermo-logger", from: 20, byteLimit: 1500)
    for (name, isBigEndian, hasNanoseconds) in [("h4", false, false), ("h4-big-endian", true, false), ("h4-nanoseconds", true, true)] {
      var builder = PcapBuilder(linkType: 187, isBigEndian: isBigEndian, hasNanoseconds: hasNanoseconds)
      for packet in packets { builder.record([packet.indicator] + packet.bytes, time: packet.time) }
      seeds[name] = builder.bytes
    }
    var (phdr, monitor) = (PcapBuilder(linkType: 201), PcapBuilder(linkType: 254, snapLength: 24))
    for packet in packets {
      phdr.record([0, 0, 0, packet.direction.rawValue, packet.indicator] + packet.bytes, time: packet.time)
      let opcode: [UInt8: UInt8] = [1: 2, 2: 4 + packet.direction.rawValue, 4: 3]
      let frame = [0, 0, 0, opcode[packet.indicator] ?? 12] + packet.bytes
      monitor.record(Array(frame.prefix(24)), time: packet.time, originalLength: frame.count)
    }
    (seeds["h4-phdr"], seeds["monitor-cut"]) = (phdr.bytes, monitor.bytes)
    for type in [LinkType.linkLayer, .linkLayerWithHeader, .nordicSniffer, .perPacketInformation, .usbmon, .usbmonMapped, .usbPcap] {
      var builder = PcapBuilder(linkType: type.rawValue)
      for frame in frames[type] ?? [] { builder.record(frame, time: start) }
      seeds[type.shortName] = builder.bytes
    }
    return seeds
  }

  static func pcapng() throws -> [String: [UInt8]] {
    var seeds: [String: [UInt8]] = [:]
    for (name, source) in [
      ("converted", log(try packets("heart-strap", from: 30, byteLimit: 1800))), ("monitor", try btsnoop()["monitor"] ?? []),
    ] {
      var reader = try CaptureReader(bytes: source, file: name)
      var writer = PcapngWriter()
      try reader.forEachRecord { _ = writer.append($0) }
      seeds[name] = writer.takeBytes()
    }
    for isBigEndian in [false, true] {
      var builder = PcapngBuilder()
      builder.section(isBigEndian: isBigEndian, options: [(1, Array("made by a test".utf8))])
      builder.interface(linkType: 201, resolution: 9, options: [(2, Array("hci0".utf8))])
      builder.interface(linkType: 187, snapLength: 64, resolution: 0x94, offset: 1_600_000_000)
      builder.interface(linkType: 251)
      builder.interface(linkType: 228)
      let event = hex("04 3e 02 0c 00")
      builder.packet([0, 0, 0, 1] + event, time: start, options: [(1, Array("look".utf8)), (4, builder.number(2, 8))])
      builder.packet(event, time: start, interface: 1, options: [builder.direction(.controllerToHost)])
      builder.packet(frames[.linkLayer]?.first ?? [], time: start, interface: 2)
      builder.packet([1, 2, 3], time: start, interface: 3)
      builder.simplePacket([0, 0, 0, 0] + hex("01 03 0c 00"))
      // The older form of a packet, and what the interface lost.
      builder.block(
        2,
        builder.number(0, 2) + builder.number(1, 2) + builder.number(5, 8) + builder.number(9, 4) + builder.number(9, 4)
          + [0, 0, 0, 1] + event)
      builder.block(5, builder.number(0, 4) + builder.number(0, 8), options: [(5, builder.number(7, 8))])
      builder.block(0xBAD, [1, 2, 3, 4])
      seeds[isBigEndian ? "blocks-big-endian" : "blocks"] = builder.bytes
    }
    return seeds
  }

  private static let advertisement = "d6be898e 0209aabbccddeeff020106 2dc74e"
  private static let extended = "d6be898e 07 0f 06 18 aabbccddeeff 0123 0201 06 000000"
  private static let data = "a1656550 0e03aabbcc 112233"

  /// Records of each link type.
  static let frames: [LinkType: [[UInt8]]] = {
    let h4 = ["01 03 0c 00", "04 0e 04 01 03 0c 00", "02 40 20 0b00 0700 0400 1b 0c00 06480102", "02 40 00 07 00 03 00 04 00 0a 0c 00"]
    var texts: [LinkType: [String]] = [
      .hciUART: h4, .hciUARTWithDirection: h4.map { "00000001 \($0)" },
      .monitor: [
        "0000 0000 00 00 aabbccddeeff 68636930", "0000 0002 03 0c 00", "0001 0003 0e 04 01 03 0c 00", "0000 000d 07 00 68656c6c6f 00",
      ],
      .linkLayer: [advertisement, data, extended],
      .linkLayerWithHeader: [
        "27 d5 80 00 d6be898e 130c \(advertisement)", "01 d5 80 00 00000000 0181 a1656550 01 0e03aabbcc 112233",
        "0d d5 80 00 d6be898e 8130 \(extended)", "01 d5 80 02 a2656550 3101 \(data)",
      ],
      .nordicSniffer: [
        "beef 06 0100 0000 1b 01 26 2d 0700 04030201 \(advertisement)", "09 06 1c 01 0100 06 0a 01 26 2d 0700 04030201 \(advertisement)",
        "00 1c00 03 0100 02 0a 01 26 2d 0700 04030201 \(advertisement)", "00 1600 02 0100 06 0a 0f 05 2d 0700 04030201 \(data)",
      ],
      .perPacketInformation: [
        "00 00 0800 fb000000 \(data)", "00 00 1800 93000000 36750c00 00 6209 00 6b36e300 e8dcee3c \(advertisement)",
        "00 01 2000 94000000 02000100 ff000000 36750c00 00 7609 00 6b36e300 e8dcee3c \(data)",
      ],
    ]
    let command = ["20 00 0000 0000 0300", "03 0c 00"]
    for (type, extra) in [(LinkType.usbmon, ""), (.usbmonMapped, String(repeating: "00", count: 16))] {
      func transfer(_ event: String, _ kind: String, _ endpoint: String, setup: String? = nil, _ data: String) -> String {
        let count = hex(data).count
        let length = "\(count < 16 ? "0" : "")\(String(count, radix: 16)) 000000"
        return "0100000000000000 \(event) \(kind) \(endpoint) 05 0100 \(setup == nil ? "2d" : "00") \(count == 0 ? "3c" : "00") "
          + "0700000000000000 09000000 00000000 \(length) \(length) \(setup ?? "0000000000000000") \(extra) \(data)"
      }
      texts[type] = [
        transfer("53", "02", "00", setup: command[0], command[1]), transfer("43", "01", "81", "0e 04 01 03"),
        transfer("43", "01", "81", "0c 00"), transfer("43", "03", "82", "40 20 0b00 0700 0400 1b 0c00 06480102"),
        transfer("53", "03", "02", "40 00 0700 0300 0400 0a 0c00"), transfer("53", "02", "80", setup: "8006000100001200", ""),
      ]
    }
    func windows(_ endpoint: String, _ kind: String, info: String = "00", _ data: String) -> String {
      let count = hex(data).count
      return "\(kind == "02" ? "1c" : "1b")00 0100000000000000 00000000 0900 \(info) 0100 0500 \(endpoint) \(kind) "
        + "\(count < 16 ? "0" : "")\(String(count, radix: 16)) 000000 \(kind == "02" ? "00" : "") \(data)"
    }
    texts[.usbPcap] = [
      windows("00", "02", command.joined(separator: " ")), windows("81", "01", info: "01", "0e 04 01 03 0c 00"),
      windows("82", "03", info: "01", "40 20 0b00 0700 0400 1b 0c00 06480102"), windows("02", "03", "40 00 0700 0300 0400 0a 0c00"),
    ]
    return texts.mapValues { $0.map(hex) }
  }()

  /// Frames as ``Framing`` wants them.
  private static func framed(_ frames: [[UInt8]], choice: UInt8) -> [UInt8] {
    [choice] + frames.flatMap { [UInt8($0.count & 0xFF), UInt8($0.count >> 8)] + $0 }
  }

  static func linkTypes() -> [String: [UInt8]] {
    var seeds: [String: [UInt8]] = [:]
    for (index, type) in LinkType.allCases.enumerated() { seeds[type.shortName] = framed(frames[type] ?? [], choice: UInt8(index)) }
    return seeds
  }

  static func usb() -> [String: [UInt8]] {
    var seeds: [String: [UInt8]] = [:]
    for (index, type) in [LinkType.usbmon, .usbmonMapped, .usbPcap].enumerated() {
      let frames = frames[type] ?? []
      seeds[type.shortName] = framed(frames, choice: UInt8(index))
      seeds["\(type.shortName)-many"] = framed((0..<5).flatMap { _ in frames }, choice: UInt8(index))
    }
    return seeds
  }
}
