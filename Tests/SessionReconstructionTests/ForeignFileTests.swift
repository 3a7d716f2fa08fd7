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
}
