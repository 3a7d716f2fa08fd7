import Foundation
import ReplayScenarios
import ScenarioExtraction
import SessionReconstruction
import TestSupport
import Testing

/// Causes that scenarios name, held against what the devices themselves say they answer: by hand-written knowledge of each protocol, on
/// the captured PDUs.
@Suite(.enabled(if: ForeignCaptures.folder != nil, "UNDERSTUDY_FOREIGN_CAPTURES is not set"))
struct AnchorTruthTests {
  /// A device whose answers tell what they answer.
  struct Device: Sendable, CustomTestStringConvertible {
    var file: String
    /// The moments of a link's notifications that are answers, with those of the writes that they answer.
    var truth: @Sendable (LinkRecording) -> [Int64: Int64]
    /// How many answers there are in all, and how many in a hundred may be missed: with the labels, and without looking at them.
    var answers: Int
    var share: Double
    var shareWithoutLabels: Double
    var testDescription: String { file }
  }

  static let devices = [
    Device(file: "phlash__blefun__btsnoop_hci.log", truth: frames, answers: 7000, share: 99, shareWithoutLabels: 99),
    Device(file: "jaypikay__mc3000__btsnoop_hci.log", truth: slots, answers: 58, share: 99, shareWithoutLabels: 95),
    Device(
      file: "durnerj__PoGo-Plus-BLE__bt_log_plus_pair_2017_12_13.log", truth: certificates, answers: 6, share: 99, shareWithoutLabels: 99),
    Device(file: "cnrd__yeelock__btsnoop_hci.log", truth: lock, answers: 16, share: 99, shareWithoutLabels: 99),
  ]

  @Test(arguments: devices)
  func anchorsNameTheTrueCause(device: Device) throws {
    for usesLabels in [true, false] {
      var extractor = ScenarioExtractor(try CaptureRecording(path: ForeignCaptures.path(device.file)))
      extractor.usesLabels = usesLabels
      let recording = try CaptureRecording(path: ForeignCaptures.path(device.file))
      var (right, all) = (0, 0)
      var wrong: [String] = []
      for subject in extractor.subjects {
        for session in extractor.scenario(of: subject).sessions {
          guard let index = session.link, let link = recording.links[index] else { continue }
          let truth = device.truth(link)
          let roots = AnchorRoots(session)
          for (place, entry) in session.entries.enumerated() {
            guard let cause = truth[entry.at.inNanoseconds] else { continue }
            all += 1
            if roots.root(of: place).map({ session.entries[$0].at.inNanoseconds }) == cause {
              right += 1
            } else {
              wrong.append("link \(index) entry \(place + 1)")
            }
          }
        }
      }
      let share = all == 0 ? 0 : 100 * Double(right) / Double(all)
      print("\(device.file), \(usesLabels ? "with" : "without") labels: \(right) of \(all) answers have their cause, \(share) %")
      #expect(all >= device.answers)
      #expect(share >= (usesLabels ? device.share : device.shareWithoutLabels), "\(wrong.prefix(20))")
    }
  }

  private static func pdus(_ link: LinkRecording) -> [(time: Int64, bytes: [UInt8])] {
    link.pdus.indices.map { (link.pdus[$0].time, link.bytes($0)) }
  }

  /// Packets 8D flags device command number … sum D8, in which AB escapes a byte; answers have flags 09 and come byte by byte. In the
  /// update of the firmware a receipt 11 tells how many bytes arrived of the image that the write 03 announced.
  @Sendable private static func frames(_ link: LinkRecording) -> [Int64: Int64] {
    struct Key: Hashable { var bytes: [UInt8] }
    var truth: [Int64: Int64] = [:]
    var requests: [Key: Int64] = [:]
    var packet: [UInt8] = []
    var times: [Int64] = []
    var image: [(total: Int, time: Int64)] = []
    func plain(_ packet: [UInt8]) -> [UInt8] {
      var (result, isEscaped): ([UInt8], Bool) = ([], false)
      for byte in packet.dropFirst().dropLast() {
        if byte == 0xAB, !isEscaped { isEscaped = true; continue }
        result.append(isEscaped ? byte | 0x88 : byte)
        isEscaped = false
      }
      return result
    }
    for (time, bytes) in pdus(link) {
      if bytes.starts(with: [0x12, 0x1C, 0x00, 0x8D]) { requests[Key(bytes: Array(plain(Array(bytes.dropFirst(3)))[1...3]))] = time }
      if bytes == [0x12, 0x10, 0x00, 0x03] { image = [(0, time)] }
      if bytes.starts(with: [0x52, 0x0E, 0x00]), let last = image.last { image.append((last.total + bytes.count - 3, time)) }
      if bytes.starts(with: [0x1B, 0x10, 0x00, 0x11]) {
        let count = Int(bytes[4]) | Int(bytes[5]) << 8 | Int(bytes[6]) << 16 | Int(bytes[7]) << 24
        truth[time] = image.first { $0.total == count }?.time
      }
      guard bytes.starts(with: [0x1B, 0x1C, 0x00]) else { continue }
      times.append(time)
      for byte in bytes.dropFirst(3) {
        packet.append(byte)
        guard byte == 0xD8 else { continue }
        let content = plain(packet)
        if packet.first == 0x8D, content.first == 0x09, let cause = requests[Key(bytes: Array(content[1...3]))] {
          for time in times where truth[time] == nil { truth[time] = cause }
        }
        (packet, times) = ([], [])
      }
    }
    return truth
  }

  /// Reports 0F command slot …; an answer has the command and the slot of its request.
  @Sendable private static func slots(_ link: LinkRecording) -> [Int64: Int64] {
    var truth: [Int64: Int64] = [:]
    var requests: [[UInt8]: Int64] = [:]
    for (time, bytes) in pdus(link) {
      guard bytes.count > 6, bytes[1] == 0x12, bytes[3] == 0x0F else { continue }
      if bytes[0] == 0x52 { requests[Array(bytes[4...5])] = time }
      if bytes[0] == 0x1B { truth[time] = requests[Array(bytes[4...5])] }
    }
    return truth
  }

  /// What 0x0024 tells is the outcome of the latest write to 0x0022.
  @Sendable private static func certificates(_ link: LinkRecording) -> [Int64: Int64] {
    latest(link, write: [0x12, 0x22, 0x00], told: [0x1B, 0x24, 0x00])
  }

  /// A command 01 brings 02 at once, then 03, 04 and 05 as the bolt moves, a second or more apart.
  @Sendable private static func lock(_ link: LinkRecording) -> [Int64: Int64] {
    latest(link, write: [0x12, 0x10, 0x00, 0x01], told: [0x1D, 0x0C, 0x00])
  }

  private static func latest(_ link: LinkRecording, write: [UInt8], told: [UInt8]) -> [Int64: Int64] {
    var truth: [Int64: Int64] = [:]
    var request: Int64?
    for (time, bytes) in pdus(link) {
      if bytes.starts(with: write) { request = time }
      if bytes.starts(with: told) { truth[time] = request }
    }
    return truth
  }
}

/// Follows anchors to the central's entry that they begin with.
struct AnchorRoots {
  private let entries: [TimelineEntry]
  private var causes: [Int?] = []

  init(_ session: Session) {
    entries = session.entries
    let names = Dictionary(entries.enumerated().compactMap { place, entry in entry.id.map { ($0, place) } }, uniquingKeysWith: min)
    var last: [AttributeHandle: Int] = [:]
    var receipts: [Anchor.Cause: Int] = [:]
    for (place, entry) in entries.enumerated() {
      var cause: Int?
      switch entry.anchor?.cause {
      case .entry(let id), .request(let id): cause = names[id]
      case .previous: cause = entry.attribute.flatMap { last[$0] }
      case .every(let count, let handle, let since):
        let number = (receipts[entry.anchor?.cause ?? .idle] ?? 0) + 1
        receipts[entry.anchor?.cause ?? .idle] = number
        let writes = entries.indices.filter { other in
          guard other > since.flatMap({ names[$0] }) ?? -1 else { return false }
          switch entries[other].action {
          case .write(handle, _), .writeCommand(handle, _): return true
          default: return false
          }
        }
        cause = number * count <= writes.count ? writes[number * count - 1] : nil
      case .connection, .idle, nil: break
      }
      causes.append(cause)
      if entry.origin == .peripheral, let attribute = entry.attribute { last[attribute] = place }
    }
  }

  /// The central's entry with which an entry's chain begins.
  func root(of entry: Int) -> Int? {
    var place: Int? = entry
    while let here = place, entries[here].origin == .peripheral { place = causes[here] }
    return place
  }
}
