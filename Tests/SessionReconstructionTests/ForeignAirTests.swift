import Foundation
import SessionReconstruction
import TestSupport
import Testing

/// Other people's captures of the air against another program's reading of them.
///
/// `NAME.att.tsv` and `NAME.link.tsv` are as in ``ForeignCaptureTests``; here the handle is the access address, there is no
/// direction, and the rows of links are requests to connect and LL_TERMINATE_IND.
@Suite(.enabled(if: ForeignCaptures.folder != nil, "set UNDERSTUDY_FOREIGN_CAPTURES to the folder of foreign captures"))
struct ForeignAirTests {
  /// Why our reading is right where the other one differs.
  enum Reason: Hashable {
    /// The packet's checksum is wrong; the other program reads it all the same.
    case wrongChecksum
    /// The packet repeats one that was not acknowledged; the other program counts it again.
    case repetition
    /// Bytes behind the end of the L2CAP PDU, which the other program counts to the PDU.
    case bytesBehindThePDU
    /// A PDU whose last fragment was never heard; we hand on what is there and say what is missing.
    case incomplete
    /// A request to connect that is shorter than its fields.
    case shorterThanItsFields
    /// Read out of an encrypted payload.
    case encrypted
  }

  /// Why directions that are found out differ from those that the sniffer told.
  enum DirectionReason: Hashable {
    /// It takes every packet for the central's.
    case oneDirectionTold
    /// It sent the central's packets itself and wrote them down with all sequence numbers 0.
    case ownPackets
  }

  struct File: Sendable, CustomTestStringConvertible {
    let name: String
    /// ATT PDUs in the other program's reading.
    var pdus = 0
    /// Differing PDUs, and differing rows of links, by frame.
    var differences: [Int: Reason] = [:]
    var links: [Int: Reason] = [:]
    /// Requests to connect that we believe.
    var requests = 0
    var directions: DirectionReason?
    var testDescription: String { name }
  }

  private static func sweyntooth(
    _ name: String, pdus: Int = 0, differences: [Int: Reason] = [:], links: [Int: Reason] = [:], requests: Int = 1,
    directions: DirectionReason? = nil
  ) -> File {
    File(
      name: "Matheus-Garbelini__sweyntooth_bluetooth_low_energy_attacks__" + name, pdus: pdus, differences: differences, links: links,
      requests: requests, directions: directions)
  }

  private static func all(_ frames: [Int], _ reason: Reason) -> [Int: Reason] {
    Dictionary(uniqueKeysWithValues: frames.map { ($0, reason) })
  }

  static let files = [
    File(name: "AleBonora3__Tesi_BLE__Lv4_JW.pcapng", pdus: 30, links: all([192, 540], .wrongChecksum), requests: 1),
    File(
      name: "AleBonora3__Tesi_BLE__fascia_cardio.pcapng", pdus: 69, differences: [2125: .wrongChecksum], links: [1909: .wrongChecksum],
      requests: 1),
    File(
      name: "AleBonora3__Tesi_BLE__mouse.pcapng", pdus: 185, differences: all([1016] + Array(1310...1314), .repetition), requests: 1),
    sweyntooth("anomaly_nxp_unexpected_encryption_start.pcapng", pdus: 47, requests: 2),
    sweyntooth("capture_cc2640_dhcheck_skip.pcap", pdus: 2, directions: .ownPackets),
    sweyntooth("capture_dialog_DA14680_truncated_l2cap_crash.pcap", pdus: 2, differences: [69: .incomplete], directions: .oneDirectionTold),
    sweyntooth("capture_microchip_ATSAMB11_invalid_fragment.pcap", pdus: 6),
    sweyntooth("capture_nxp_llid_deadlock_attack_capture.pcap", pdus: 59, differences: all([297, 320], .repetition)),
    sweyntooth("capture_telink_key_overflow.pcap", pdus: 10),
    sweyntooth("capture_zephyr_invalid_sequence.pcap", pdus: 7, differences: all(Array(22...27), .repetition)),
    sweyntooth(
      "noncompliance_DA14680_respond_to_oversized_mtu_request.pcap", pdus: 2, differences: [71: .bytesBehindThePDU],
      directions: .oneDirectionTold),
    sweyntooth("noncompliance_cc2540_truncated_conn_request.pcap", links: [14: .shorterThanItsFields], requests: 0),
    sweyntooth("noncompliance_stmicoelectronics_wb55_non_zero_ediv_rand_SC.pcapng", pdus: 29, requests: 2),
    sweyntooth("noncomplicance_cc2540_malformed_connection_success.pcapng", links: [23: .shorterThanItsFields], requests: 0),
    sweyntooth("noncomplicance_telink_respond_invalid_control_pdu2_sniffer.pcapng", pdus: 8),
    sweyntooth("noncomplicance_telink_respond_version_more_than_once.pcapng", pdus: 10, differences: [117: .repetition]),
    File(name: "darkmentorllc__Blue2thprinting__apple_advertisements.pcap"),
    File(name: "darkmentorllc__Blue2thprinting__cafe_capture.pcap", pdus: 178, requests: 1, directions: .ownPackets),
    File(name: "homewsn__bsniffhub__bonding-ltk-0F241772AC270CAFEE654186F0A65D5F.pcap", requests: 3),
    File(name: "homewsn__bsniffhub__connection-update.pcap", pdus: 16, requests: 1),
    File(name: "homewsn__bsniffhub__encrypted-packet-501-missing.pcap", pdus: 18, requests: 1),
    File(name: "homewsn__bsniffhub__lp-justworks.pcap", requests: 1),
    File(name: "homewsn__bsniffhub__lp-oob-tk-5E882417A987222423A1A9EC719AED27.pcap", requests: 1),
    File(name: "homewsn__bsniffhub__lp-passkeyentry-123456-initiator-inputs-responder-displays.pcap", requests: 1),
    File(name: "homewsn__bsniffhub__phy-changed.pcap", requests: 1),
    File(
      name: "homewsn__bsniffhub__sc-justworks-fragments-assembly-ltk-BD27012E93C195F13B8F176FE84A2DED.pcap", pdus: 3,
      differences: [50: .repetition], links: [346: .encrypted], requests: 1),
    File(name: "homewsn__bsniffhub__sc-justworks.pcap", requests: 1),
    File(name: "homewsn__bsniffhub__sc-passkeyentry-123456-initiator-inputs-responder-displays.pcap", requests: 1),
    File(name: "mhaberler__ble-advertiser__ble.pcapng"),
    File(name: "mikeryan__crackle__expected_output.pcap", requests: 1),
    File(
      name: "mikeryan__crackle__le_secure_connections.pcapng", pdus: 38, differences: [60: .repetition, 98: .incomplete], requests: 1),
    File(name: "mikeryan__crackle__missing_confirms.pcap", requests: 1),
    File(name: "mikeryan__crackle__pairing_and_ltk_exchange.pcap", requests: 1),
    File(name: "whad-team__whad-client__ble_discovery.pcap", pdus: 39, differences: [158: .repetition], requests: 1),
    File(name: "whad-team__whad-client__btmesh_provisionning.pcap"),
    File(name: "whad-team__whad-client__comm.pcap", requests: 1),
    File(name: "whad-team__whad-client__comm_dec.pcap", pdus: 6, requests: 1),
  ]

  private struct Row: Hashable {
    var frame: Int
    var time: String
    var address: String
    var pdu: String
  }

  private static func table(_ name: String) throws -> [[String]] {
    let folder = try #require(ForeignCaptures.folder)
    let text = try String(contentsOf: folder.appending(path: "oracle/\(name)"), encoding: .utf8)
    return text.split(separator: "\n").map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
  }

  @Test func everyCaptureOfTheAirIsListed() throws {
    let folder = try #require(ForeignCaptures.folder)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "real").path)
    let heard = names.filter { ((try? Reconstruction(path: ForeignCaptures.path($0)))?.air.packets ?? 0) > 0 }
    #expect(heard.sorted() == Self.files.map(\.name).sorted())
  }

  @Test(arguments: files)
  func attributePDUsAgree(file: File) throws {
    let traffic = try Traffic([UInt8](try Data(contentsOf: URL(filePath: ForeignCaptures.path(file.name)))))
    let oracle = try Self.table("\(file.name).att.tsv")
    #expect(oracle.count == file.pdus)
    let ours = traffic.pdus.map { pdu in
      Row(
        frame: pdu.event.frame, time: pdu.event.recordedTime.description, address: pdu.event.connection.description,
        pdu: Hexadecimal.encode(pdu.bytes))
    }
    let theirs = oracle.map { Row(frame: Int($0[0]) ?? 0, time: $0[1], address: $0[2], pdu: $0[4]) }
    #expect(Set(Set(ours).symmetricDifference(theirs).map(\.frame)) == Set(file.differences.keys))
    #expect(ours.filter { file.differences[$0.frame] == nil } == theirs.filter { file.differences[$0.frame] == nil })
    for (frame, reason) in file.differences {
      let (mine, others) = (ours.filter { $0.frame == frame }, theirs.filter { $0.frame == frame })
      switch reason {
      case .wrongChecksum, .encrypted, .shorterThanItsFields: #expect(mine.isEmpty, "\(frame)")
      case .repetition:
        #expect(mine.isEmpty, "\(frame)")
        // What is repeated was delivered before.
        #expect(others.allSatisfy { other in ours.contains { $0.pdu == other.pdu && $0.frame < frame } }, "\(frame)")
      case .bytesBehindThePDU: #expect(others.first?.pdu.hasPrefix(mine.first?.pdu ?? "-") ?? false, "\(frame)")
      case .incomplete: #expect(traffic.pdus.contains { $0.event.frame == frame && $0.event.missing > 0 }, "\(frame)")
      }
    }
    #expect(ours.count == traffic.capture.links.reduce(0) { $0 + $1.attPDUs })
  }

  @Test(arguments: files)
  func linksAgree(file: File) throws {
    let capture = try Reconstruction(path: ForeignCaptures.path(file.name))
    var theirs: [String] = []
    for row in try Self.table("\(file.name).link.tsv") where file.links[Int(row[0]) ?? 0] == nil {
      // The row of a control PDU has its opcode and its reason, that of a request to connect the link's access address.
      theirs.append(row[10].isEmpty ? "\(row[0]) \(row[9])" : "\(row[0]) end \(row[11])")
    }
    var ours: [(Int, String)] = []
    for link in capture.links {
      if !link.isImplicit { ours.append((link.startFrame, "\(link.startFrame) \(link.connection)")) }
      if let frame = link.endFrame, let reason = link.endReason, link.air?.endedBy != nil {
        ours.append((frame, "\(frame) end 0x\(Hexadecimal.encode([reason.rawValue]))"))
      }
    }
    #expect(ours.sorted { $0.0 < $1.0 }.map(\.1) == theirs)
    #expect(capture.links.count == file.requests && capture.air.connectionRequests == file.requests)
    #expect(capture.links.allSatisfy { $0.localRole == nil })
    #expect(capture.air.packets == capture.records)
    #expect(capture.air.damaged >= file.links.values.filter { $0 == .wrongChecksum }.count)
    #expect(capture.air.malformed >= file.links.values.filter { $0 == .shorterThanItsFields }.count)
    #expect((capture.findingCounts[.encryptedTraffic] ?? 0) <= capture.links.count)
  }

  /// The same packets without what the sniffer tells of them – no direction, no word on checksums – give the same links, PDUs
  /// and times (case B9).
  @Test(arguments: files)
  func barePacketsTellTheSame(file: File) throws {
    var reader = try CaptureReader(path: ForeignCaptures.path(file.name))
    var builder = PcapBuilder(linkType: 251, hasNanoseconds: true)
    var initials: [AccessAddress: UInt32] = [.advertising: 0x55_5555]
    try reader.forEachRecord { record in
      guard let packet = record.air else { return }
      if packet.physicalChannel == .advertising, packet.crcIsValid != false, let pdu = try? AdvertisingPDUView(parsing: packet.pdu),
        case .connect(_, _, let data) = pdu.payload
      {
        initials[data.accessAddress] = data.crcInit
      }
      // Some sniffers leave no checksum worth the name; the one that belongs there says what their flag did.
      var crc = packet.crc ?? 0
      if let isValid = packet.crcIsValid, let initial = initials[packet.accessAddress] {
        crc = LinkLayerCRC.of(packet.pdu, initial: initial) ^ (isValid ? 0 : 1)
      }
      let bytes = [packet.accessAddress.rawValue, crc].map { value in (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
      builder.record(bytes[0] + packet.pdu.array + bytes[1].dropLast(), time: record.recordedTime)
    }
    let traffic = try Traffic(builder.bytes)
    let told = try Traffic([UInt8](try Data(contentsOf: URL(filePath: ForeignCaptures.path(file.name)))))
    func lines(_ traffic: Traffic) -> [String] {
      traffic.pdus.map {
        "\($0.event.frame) \($0.event.time) \(file.directions == nil ? $0.event.sender.rawValue : "") \(Hexadecimal.encode($0.bytes))"
      }
    }
    func links(_ traffic: Traffic) -> [String] {
      traffic.capture.links.map { "\($0.startFrame) \($0.connection) \($0.peer) \($0.endFrame ?? 0) \($0.isEncrypted) \($0.attPDUs)" }
    }
    let senders = (told.pdus.map(\.event.sender), traffic.pdus.map(\.event.sender))
    #expect((senders.0 == senders.1) == (file.directions == nil || senders.0.isEmpty))
    if file.directions == .oneDirectionTold { #expect(Set(senders.0) == [.central]) }
    #expect(lines(traffic) == lines(told))
    #expect(links(traffic) == links(told))
  }
}
