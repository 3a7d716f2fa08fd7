import Foundation
import SessionReconstruction
import TestSupport
import Testing

/// Other people's captures against another program's reading of them.
///
/// `UNDERSTUDY_FOREIGN_CAPTURES` names a folder with the captures in `real` and the readings in `oracle`: `NAME.att.tsv` (frame,
/// time, handle, direction, PDU) and `NAME.link.tsv` (frame, time, event, subevent, status, handle, role, peer, reason).
@Suite(.enabled(if: ForeignCaptures.folder != nil, "set UNDERSTUDY_FOREIGN_CAPTURES to the folder of foreign captures"))
struct ForeignCaptureTests {
  /// Why our reading is right where the other one differs.
  enum Reason: Hashable {
    /// Debug data of a Qualcomm controller on a handle that no connection has, which the other program takes for ATT.
    case vendorHandle
    /// The other program wraps seconds before 1970 at 2^32.
    case timeBefore1970
    /// The other program takes the file for another format and leaves it after one record.
    case otherFormat
    /// A section of the Core specification.
    case specification(String)
  }

  struct File: Sendable, CustomTestStringConvertible {
    let name: String
    /// ATT PDUs in the other program's reading.
    let pdus: Int
    /// Differing PDUs by frame.
    var differences: [Int: Reason] = [:]
    /// Why every time differs, where every time does.
    var times: Reason?
    /// Why the ends of connections differ, where they do.
    var links: Reason?
    var testDescription: String { name }
  }

  static let files = [
    File(name: "BeanCounterTop__ble-pcap-analyzer__fitup.pcap", pdus: 223),
    File(name: "FrankHJCuypers__fuut__btsnoop_hci_20141017_1.log", pdus: 106),
    File(name: "Swastik36__OPPO-Earbuds__BT_HCI_2026_0719_110149.cfa", pdus: 1, differences: [711: .vendorHandle]),
    File(name: "Thewbi__hci_bluetooth__Bluetooth1.pcap", pdus: 0),
    File(name: "Thewbi__hci_bluetooth__copied.pklg", pdus: 0, links: .otherFormat),
    File(name: "Thewbi__hci_bluetooth__hci_dump.pklg", pdus: 0),
    File(name: "bluekitchen__btstack__test-sbc-pklg-test2.pklg", pdus: 0),
    File(
      name: "cheoljun99__bluetooth-pcap-test__bluetooth-infocar.pcap", pdus: 397, differences: [757: .vendorHandle]),
    File(name: "cnrd__yeelock__btsnoop_hci.log", pdus: 104),
    File(name: "danisla__iot-bed__btsnoop_hci.log", pdus: 240),
    File(name: "durnerj__PoGo-Plus-BLE__bt_log_plus_pair_2017_12_13.log", pdus: 260),
    File(name: "felixwatts__batteread__capture.btsnoop", pdus: 0),
    File(name: "havvk__even-g2-smart-classroom__bt2.pklg", pdus: 163),
    File(name: "jaypikay__mc3000__btsnoop_hci.log", pdus: 158, times: .timeBefore1970),
    File(name: "mauricelam__btsnoop-rs__btsnoop_btmon.log", pdus: 0),
    File(name: "mauricelam__btsnoop-rs__btsnoop_hci_android.log", pdus: 0),
    File(name: "phlash__blefun__btsnoop_hci.log", pdus: 18674),
    File(name: "robotdrink__OpenSCQ30-P31i__btsnoop_hci.log.filtered", pdus: 0),
  ]

  struct Row: Hashable {
    var frame: Int
    var time: String
    var handle: String
    /// 0 from the host, 1 from the controller.
    var direction: String
    var pdu: String
  }

  private static func table(_ name: String) throws -> [[String]] {
    let folder = try #require(ForeignCaptures.folder)
    let text = try String(contentsOf: folder.appending(path: "oracle/\(name)"), encoding: .utf8)
    return text.split(separator: "\n").map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
  }

  private static func traffic(_ file: File) throws -> Traffic {
    let folder = try #require(ForeignCaptures.folder)
    return try Traffic([UInt8](try Data(contentsOf: folder.appending(path: "real/\(file.name)"))))
  }

  /// What the other program prints for a time before 1970, given as `-332641.779038000`.
  private static func wrapped(_ time: CaptureTime) throws -> String {
    let parts = time.description.split(separator: ".")
    let seconds = try #require(Int(parts[0]))
    #expect(seconds < 0)
    return "-\(4_294_967_296 + seconds).\(parts[1])"
  }

  @Test func everyHCIFileIsListed() throws {
    let folder = try #require(ForeignCaptures.folder)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "real").path)
    let hci = names.filter { name in
      switch try? CaptureReader(path: folder.appending(path: "real/\(name)").path).format {
      case .btsnoop, .packetLogger: true
      // The one that is refused when it is read.
      case .pcap(let type): type.rawValue == 201 && name != "Thewbi__hci_bluetooth__hci_asus_bt400.pcap"
      case .pcapng, nil: false
      }
    }
    #expect(hci.sorted() == Self.files.map(\.name).sorted())
  }

  @Test(arguments: files)
  func attributePDUsAgree(file: File) throws {
    let traffic = try Self.traffic(file)
    let oracle = try Self.table("\(file.name).att.tsv")
    #expect(oracle.count == file.pdus)
    let roles = Dictionary(uniqueKeysWithValues: traffic.capture.links.map { ($0.index, $0.localRole) })
    let directions = Set(oracle.map { $0[3] })
    let ours = try traffic.pdus.sorted { $0.event.frame < $1.event.frame }.map { pdu in
      Row(
        frame: pdu.event.frame,
        time: file.times == .timeBefore1970 ? try Self.wrapped(pdu.event.recordedTime) : pdu.event.recordedTime.description,
        // The other program gives no direction for PacketLogger's records.
        handle: pdu.event.connection.description,
        direction: directions == [""] ? "" : pdu.event.sender == roles[pdu.event.link] ? "0" : "1",
        pdu: Hexadecimal.encode(pdu.bytes))
    }
    let theirs = oracle.map { Row(frame: Int($0[0]) ?? 0, time: $0[1], handle: $0[2], direction: $0[3], pdu: $0[4]) }
    let differing = Set(ours).symmetricDifference(theirs)
    #expect(Set(differing.map(\.frame)) == Set(file.differences.keys))
    for row in differing where file.differences[row.frame] == .vendorHandle { #expect(row.handle == "0x0edc") }
    #expect(ours.filter { file.differences[$0.frame] == nil } == theirs.filter { file.differences[$0.frame] == nil })
    #expect(ours.count == traffic.capture.links.reduce(0) { $0 + $1.attPDUs })
  }

  /// One line of what happens to connections.
  struct LinkRow: Hashable {
    var frame: Int
    var what: String
  }

  @Test(arguments: files)
  func linksAgree(file: File) throws {
    let capture = try Self.traffic(file).capture
    var theirs: [LinkRow] = []
    for row in try Self.table("\(file.name).link.tsv") {
      let frame = Int(row[0]) ?? 0
      switch row[2] {
      case "0x3e": theirs.append(LinkRow(frame: frame, what: "LE \(row[4]) \(row[5]) role \(row[6]) \(row[7])"))
      case "0x05": theirs.append(LinkRow(frame: frame, what: "end \(row[4]) \(row[5]) \(row[8])"))
      default: Issue.record("frame \(frame): event \(row[2])")
      }
    }
    func octet(_ value: UInt8) -> String { "0x" + Hexadecimal.encode([value]) }
    var ours: [LinkRow] = []
    // The other reading has the connections of LE, and the ends of all.
    for link in capture.links {
      let peer = link.peer.description.lowercased()
      let role = octet(link.localRole == .central ? 0 : 1)
      if link.isLowEnergy, !link.isImplicit {
        ours.append(LinkRow(frame: link.startFrame, what: "LE 0x00 \(link.connection) role \(role) \(peer)"))
      }
      if let frame = link.endFrame, let reason = link.endReason {
        ours.append(LinkRow(frame: frame, what: "end 0x00 \(link.connection) \(octet(reason.rawValue))"))
      }
    }
    for failure in capture.failedConnections {
      let role = octet(failure.localRole == .central ? 0 : 1)
      ours.append(
        LinkRow(
          frame: failure.frame,
          what: "LE \(octet(failure.status.rawValue)) \(failure.handle) role \(role) \(failure.peer.description.lowercased())"))
    }
    for event in capture.strayDisconnections {
      ours.append(LinkRow(frame: event.frame, what: "end \(octet(event.status.rawValue)) \(event.handle) \(octet(event.reason.rawValue))"))
    }
    guard file.links == nil else {
      #expect(theirs.isEmpty && !ours.isEmpty)
      return
    }
    #expect(ours.sorted { $0.frame < $1.frame } == theirs)
  }
}
