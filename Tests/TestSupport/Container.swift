import CaptureFiles

/// Every container that is read, each with a way to put the same HCI packets into it.
public enum Container {
  /// One HCI packet.
  public struct Packet: Sendable {
    public var type: HCIPacketType
    public var isReceived: Bool
    public var bytes: [UInt8]
    public var time: CaptureTime

    var direction: CaptureRecord.Direction { isReceived ? .controllerToHost : .hostToController }
  }

  /// A container by its name.
  public struct Sample: Sendable {
    public let name: String
    /// Whether a packet has the same record number in it as in btsnoop.
    public var keepsNumbers = true
    public let make: @Sendable ([Packet]) -> [UInt8]
  }

  /// The HCI packets of a capture.
  public static func packets(of path: String) throws -> [Packet] {
    var reader = try CaptureReader(path: path)
    var packets: [Packet] = []
    try reader.forEachRecord { record in
      let types: [CaptureRecord.Kind: HCIPacketType] = [
        .command: .command, .event: .event, .aclData: .aclData, .synchronousData: .synchronousData,
      ]
      guard let type = types[record.kind] else { return }
      packets.append(
        Packet(type: type, isReceived: record.direction == .controllerToHost, bytes: record.bytes.array, time: record.recordedTime))
    }
    return packets
  }

  /// All of them.
  public static let samples: [Sample] = plain + compressed + phones

  private static let plain: [Sample] = btsnoop + packetLogger + pcap + pcapng + usb + usbInPcapng

  private static let btsnoop: [Sample] = [BtsnoopDatalink.hciUnencapsulated, .hciUART, .monitor].map { datalink in
    Sample(name: "btsnoop \(datalink.rawValue)") { packets in
      var writer = BtsnoopWriter(datalink: datalink)
      for packet in packets { writer.append(packet.bytes, type: packet.type, direction: packet.direction, time: packet.time) }
      return writer.bytes
    }
  }

  private static let packetLogger: [Sample] = PacketLoggerBuilder.Layout.allCases.map { layout in
    Sample(name: "PacketLogger \(layout)") { packets in
      var builder = PacketLoggerBuilder(layout)
      for packet in packets {
        let types: [HCIPacketType: UInt8] = [
          .command: 0, .event: 1, .aclData: packet.isReceived ? 3 : 2, .synchronousData: packet.isReceived ? 9 : 8,
        ]
        builder.record(packet.bytes, type: types[packet.type] ?? 0xFC, time: packet.time)
      }
      return builder.bytes
    }
  }

  /// A packet behind what its link type puts before it.
  static func frame(_ packet: Packet, _ linkType: UInt32) -> [UInt8] {
    switch linkType {
    case 187: return [packet.type.rawValue] + packet.bytes
    case 201: return [0, 0, 0, packet.isReceived ? 1 : 0, packet.type.rawValue] + packet.bytes
    default:
      let opcodes: [HCIPacketType: UInt8] = [
        .command: 2, .event: 3, .aclData: packet.isReceived ? 5 : 4, .synchronousData: packet.isReceived ? 7 : 6,
      ]
      return [0, 0, 0, opcodes[packet.type] ?? 0] + packet.bytes
    }
  }

  private static let linkTypes: [UInt32] = [187, 201, 254]

  private static let pcap: [Sample] = linkTypes.flatMap { linkType in
    [(false, false), (false, true), (true, false), (true, true)].map { isBigEndian, hasNanoseconds in
      Sample(name: "pcap \(linkType)\(isBigEndian ? " big-endian" : "")\(hasNanoseconds ? " nanoseconds" : "")") { packets in
        var builder = PcapBuilder(linkType: linkType, isBigEndian: isBigEndian, hasNanoseconds: hasNanoseconds)
        for packet in packets { builder.record(frame(packet, linkType), time: packet.time) }
        return builder.bytes
      }
    }
  }

  private static let pcapng: [Sample] = linkTypes.flatMap { linkType in
    [(false, 6), (true, 6), (false, 9)].flatMap { isBigEndian, resolution in
      [false, true].map { hasFlags in
        Sample(name: "pcapng \(linkType)\(isBigEndian ? " big-endian" : "") 10^-\(resolution)\(hasFlags ? " with flags" : "")") { packets in
          var builder = PcapngBuilder()
          builder.section(isBigEndian: isBigEndian)
          builder.interface(linkType: UInt16(linkType), resolution: UInt8(resolution))
          for packet in packets {
            builder.packet(frame(packet, linkType), time: packet.time, options: hasFlags ? [builder.direction(packet.direction)] : [])
          }
          return builder.bytes
        }
      }
    }
  }

  /// A submit and its completion for each packet; events in transfers of 16 bytes, as Linux asks for them.
  private static let usb: [Sample] = [
    (USBLinkType.usbmon, false), (.usbmon, true), (.usbmonMapped, false), (.usbmonMapped, true), (.usbPcap, false),
  ].map {
    type, isBigEndian in
    Sample(name: "USB \(type.rawValue)\(isBigEndian ? " big-endian" : "")", keepsNumbers: false) { packets in
      var builder = PcapBuilder(linkType: type.rawValue, isBigEndian: isBigEndian)
      for packet in packets {
        for record in transfers(packet) { builder.record(record.bytes(type, isBigEndian: isBigEndian), time: packet.time) }
      }
      return builder.bytes
    }
  }

  private static let usbInPcapng: [Sample] = [false, true].map { isBigEndian in
    Sample(name: "USB 220 in pcapng\(isBigEndian ? " big-endian" : "")", keepsNumbers: false) { packets in
      var builder = PcapngBuilder()
      builder.section(isBigEndian: isBigEndian)
      builder.interface(linkType: 220)
      for packet in packets {
        for record in transfers(packet) { builder.packet(record.bytes(.usbmonMapped, isBigEndian: isBigEndian), time: packet.time) }
      }
      return builder.bytes
    }
  }

  private static func transfers(_ packet: Packet) -> [USBRecord] {
    switch packet.type {
    case .command:
      return [.command(packet.bytes), USBRecord(endpoint: 0, kind: .control, isSubmit: false, length: packet.bytes.count)]
    case .event:
      return stride(from: 0, to: packet.bytes.count, by: 16).flatMap { start in
        [
          USBRecord(endpoint: 0x81, kind: .interrupt, isSubmit: true),
          .event(Array(packet.bytes[start..<min(start + 16, packet.bytes.count)])),
        ]
      }
    default:
      let sent = USBRecord.data(packet.bytes, isSent: !packet.isReceived)
      return packet.isReceived
        ? [USBRecord(endpoint: 0x82, kind: .bulk, isSubmit: true), sent] : [sent, USBRecord(endpoint: 0x02, kind: .bulk, isSubmit: false)]
    }
  }

  private static let compressed: [Sample] = plain.filter {
    ["btsnoop 1002", "PacketLogger bigEndian", "pcap 201", "pcapng 201 10^-6"].contains($0.name)
  }.map { sample in Sample(name: "\(sample.name) gzip") { Deflate.compress(sample.make($0), .gzip) } }

  private static let phones: [Sample] = [
    Sample(name: "Android bug report") { packets in
      ZipBuilder([
        ("main_entry.txt", Array("bugreport.txt".utf8)), ("FS/data/misc/bluetooth/logs/btsnoop_hci.log", btsnoop[1].make(packets)),
        ("bugreport.txt", Array("== dumpstate: now\n".utf8)),
      ]).bytes
    },
    Sample(name: "iOS sysdiagnose") { packets in
      Deflate.compress(
        TarBuilder.archive([
          ("sysdiagnose_now/README.txt", Array("text".utf8)),
          ("sysdiagnose_now/logs/Bluetooth/bluetoothd-hci-latest.pklg", packetLogger[0].make(packets)),
        ]), .gzip)
    },
    Sample(name: "snooz") { snooz($0).bytes }, Sample(name: "snooz in a text") { snooz($0).text() },
  ]

  private static func snooz(_ packets: [Packet]) -> SnoozBuilder {
    var builder = SnoozBuilder()
    for packet in packets {
      let types: [HCIPacketType: UInt8] = [
        .command: 0x20, .event: 0x10, .aclData: packet.isReceived ? 0x11 : 0x21, .synchronousData: packet.isReceived ? 0x12 : 0x22,
      ]
      builder.packet(packet.bytes, type: types[packet.type] ?? 0, time: packet.time.microseconds)
    }
    return builder
  }
}
