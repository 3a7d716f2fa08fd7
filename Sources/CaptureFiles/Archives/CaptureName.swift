/// What the name of a file in a phone's archive says: which log it is, and how far rotated.
///
/// Android: `btsnoop_hci.log`, `.log.last`, `.log.N`, `.log.filtered[.last]`, `btsnooz_hci.log`; MediaTek's phones:
/// `BT_HCI_2026_0420_185425.cfa`, with `.curf` behind it while it is written. iOS: `bluetoothd-hci-latest.pklg` and older ones with their date.
struct CaptureName: Sendable, Hashable, Comparable {
  /// How much of the traffic such a log holds.
  enum Completeness: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// Every packet.
    case full
    /// Packets of some profiles are missing or cut.
    case filtered
    /// The ring of a bug report: few packets, most of them cut.
    case summary

    static func < (left: Completeness, right: Completeness) -> Bool { left.rawValue < right.rawValue }
  }

  var completeness: Completeness
  /// The path without what rotation adds.
  let family: String
  /// 0 for the file that is written, more for older ones.
  var age: Int

  /// Reads a path; `nil` where its last part is no capture's name.
  init?(_ path: String) {
    let path = path.lowercased()
    let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let base = path[start...]
    // macOS puts a shadow beside each file it packs.
    guard !base.hasPrefix("._"), Self.isCapture(base) else { return nil }
    (completeness, age) = (base.contains("btsnooz") ? .summary : .full, 0)
    var kept: [Substring] = []
    for (index, part) in base.split(separator: ".", omittingEmptySubsequences: false).enumerated() {
      if index > 0, part == "last" {
        age = max(age, 1)
      } else if kept.last == "log", part.count <= 6, let number = Int(part), number >= 0 {
        age = number + 1
      } else if part == "filtered" {
        completeness = max(completeness, .filtered)
      } else if index == 0 || part != "gz" {
        kept.append(part)
      }
    }
    family = String(path[..<start]) + kept.joined(separator: ".")
  }

  private static func isCapture(_ base: Substring) -> Bool {
    let parts = base.split(separator: ".")
    if parts.dropFirst().contains(where: { ["cfa", "curf", "pklg", "btsnoop"].contains($0) }) { return true }
    guard parts.dropFirst().contains("log") || parts.count == 1 else { return false }
    return ["btsnoop", "btsnooz", "hci_snoop", "hcisnoop"].contains { base.contains($0) } || base.hasPrefix("bt_hci_")
  }

  /// By family, and in it the oldest first.
  static func < (left: CaptureName, right: CaptureName) -> Bool {
    if left.family != right.family { return left.family < right.family }
    return left.age != right.age ? left.age > right.age : left.completeness < right.completeness
  }
}
