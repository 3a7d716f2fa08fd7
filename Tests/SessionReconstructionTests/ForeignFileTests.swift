import Foundation
import SessionReconstruction
import TestSupport
import Testing

/// Every one of other people's captures opens, or is refused for the right reason.
///
/// `INDEX.tsv` in the folder of foreign captures tells how many packets each holds.
@Suite(.enabled(if: ForeignCaptures.folder != nil, "set UNDERSTUDY_FOREIGN_CAPTURES to the folder of foreign captures"))
struct ForeignFileTests {
  /// Files that hold nothing to work on.
  static let refused: [String: CaptureError.Code] = [
    "Thewbi__hci_bluetooth__hci_asus_bt400.pcap": .damaged,
    "felixwatts__batteread__capture.btsnoop": .noBluetooth,
    "whad-team__whad-client__ressources-pcaps-ble_discovery.pcap": .noRecords,
  ]

  /// Packets by file; where the other program stops early, what stands in parentheses.
  static func counts() throws -> [String: Int] {
    let folder = try #require(ForeignCaptures.folder)
    let text = try String(contentsOf: folder.appending(path: "INDEX.tsv"), encoding: .utf8)
    var counts: [String: Int] = [:]
    for line in text.split(separator: "\n").dropFirst() {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      let own = fields[3].split(separator: "own parse ").last.map { $0.filter(\.isNumber) }
      counts[fields[0]] = Int(fields[3]) ?? own.flatMap { Int($0) }
      #expect(counts[fields[0]] != nil)
    }
    return counts
  }

  @Test func packetCountsAreTheIndexs() throws {
    let counts = try Self.counts()
    let folder = try #require(ForeignCaptures.folder)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "real").path).sorted()
    #expect(names.count == 57)
    #expect(names == counts.keys.sorted())
    var (opened, advertisers) = (0, 0)
    for name in names {
      do {
        let capture = try Reconstruction(path: ForeignCaptures.path(name))
        #expect(capture.records == counts[name], "\(name)")
        #expect(capture.emptiness?.code == Self.refused[name], "\(name)")
        if capture.emptiness == nil { opened += 1 }
        advertisers += capture.air.packets > 0 && !capture.advertisers.isEmpty ? 1 : 0
        #expect(capture.findingCounts[.cutLastRecord] == nil && capture.findingCounts[.corruptRecord] == nil, "\(name)")
      } catch let error as CaptureError {
        #expect(error.code == Self.refused[name], "\(name): \(error)")
        #expect(counts[name] == 0)
      }
    }
    #expect(opened == 54)
    // Sniffers' captures in which somebody advertises.
    #expect(advertisers == 35)
  }

  /// Why a request to connect is not believed.
  enum Reason { case wrongChecksum, shorterThanItsFields }

  /// Requests to connect that the other program believes, by frame.
  static let unbelieved: [String: [Int: Reason]] = [
    "AleBonora3__Tesi_BLE__Lv4_JW.pcapng": [192: .wrongChecksum, 540: .wrongChecksum],
    "AleBonora3__Tesi_BLE__fascia_cardio.pcapng": [1909: .wrongChecksum],
    "Matheus-Garbelini__sweyntooth_bluetooth_low_energy_attacks__noncompliance_cc2540_truncated_conn_request.pcap": [
      14: .shorterThanItsFields
    ],
    "Matheus-Garbelini__sweyntooth_bluetooth_low_energy_attacks__noncomplicance_cc2540_malformed_connection_success.pcapng": [
      23: .shorterThanItsFields
    ],
  ]

  /// Requests to connect stand in the same records as in the other program's reading.
  @Test func connectionRequestsAreTheOthers() throws {
    let folder = try #require(ForeignCaptures.folder)
    for name in try Self.counts().keys.sorted() {
      guard let capture = try? Reconstruction(path: ForeignCaptures.path(name)), capture.air.packets > 0 else { continue }
      #expect(capture.links.isEmpty && capture.air.packets == capture.records, "\(name)")
      let rows = try String(contentsOf: folder.appending(path: "oracle/\(name).link.tsv"), encoding: .utf8).split(separator: "\n")
      // A row of a link-layer control PDU has an opcode, the request to connect has none.
      let requests = rows.map { $0.split(separator: "\t", omittingEmptySubsequences: false) }.filter { $0.count > 10 && $0[10].isEmpty }
      let known = Self.unbelieved[name] ?? [:]
      #expect(capture.air.connectionRequests == requests.count - known.count, "\(name)")
      #expect(Set(requests.compactMap { Int($0[0]) }).isSuperset(of: known.keys))
      #expect(capture.air.damaged >= known.values.filter { $0 == .wrongChecksum }.count)
      #expect(capture.air.malformed >= known.values.filter { $0 == .shorterThanItsFields }.count)
    }
  }
}
