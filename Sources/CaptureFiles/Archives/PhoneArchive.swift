import ByteParsing

/// The captures in what a phone gives: an Android bug report (zip) or an iOS sysdiagnose (tar.gz), or any archive that holds some.
///
/// Of several logs the most complete kind is taken: full ones, or else filtered ones, or else summaries; in an order that joins rotated
/// files, the oldest first, and unrelated ones by name.
struct PhoneArchive: Sendable {
  /// The captures, in the order to read them; never empty.
  private(set) var segments: [CaptureSegment] = []
  /// The snooz in the report's text that was not needed, since there is more.
  private(set) var summary: CaptureSegment?
  /// Whether the segments are the summary of a bug report, whose packets are few and mostly cut.
  private(set) var isSummaryOnly = false
  /// What looked like a capture and was not taken, with the reason: `NAME: REASON`.
  private(set) var leftOut: [String] = []

  /// A bug report may hold the archive of a vendor's logs; one level of that is looked into, and not many.
  private static let nestedLimit = 8
  private static let keptSummaryLimit = 1 << 20
  /// A report has one text; a hostile archive could have the same large one in every entry.
  private static let textLimit = 4
  /// The largest archive inside another that is unpacked.
  private static let nestedByteLimit = 1 << 30

  /// Picks from the entries of an archive; `file` is its name for messages.
  init(_ entries: [CaptureSegment], file: String) throws(CaptureError) {
    try self.init(entries, file: file, isNested: false)
  }

  private init(_ entries: [CaptureSegment], file: String, isNested: Bool) throws(CaptureError) {
    var picker = CapturePicker(file: file)
    picker.pick(entries)
    take(picker)
    var firstError = picker.firstError
    if segments.isEmpty, !isNested { takeNested(entries, file: file, &firstError) }
    takeSummary(entries, file: file)
    if segments.isEmpty, !entries.contains(where: { CaptureAdvice.isFromPhone($0.name) }) {
      var byContent = CapturePicker(file: file)
      byContent.pickByContent(entries)
      segments = byContent.found.map(\.segment)
      if firstError == nil { firstError = byContent.firstError }
    }
    if segments.isEmpty { throw firstError ?? Self.nothing(in: entries, file: file, leftOut) }
  }

  /// Takes the most complete kind of what was found.
  private mutating func take(_ picker: CapturePicker) {
    leftOut += picker.rejected
    let best = picker.found.map(\.name.completeness).min()
    for found in picker.found {
      if found.name.completeness == best {
        segments.append(found.segment)
      } else {
        leftOut.append("\(found.segment.name): a more complete log is there")
      }
    }
    isSummaryOnly = best == .summary
  }

  private mutating func takeNested(_ entries: [CaptureSegment], file: String, _ firstError: inout CaptureError?) {
    let endings = [".zip", ".tar", ".tgz", ".tar.gz"]
    let archives = entries.lazy.filter { entry in endings.contains { entry.name.lowercased().hasSuffix($0) } }
    for entry in archives.prefix(Self.nestedLimit) {
      let name = "\(file)(\(entry.name))"
      do throws(CaptureError) {
        guard let inner = try Self.entries(of: entry, name: name) else { continue }
        let archive = try PhoneArchive(inner, file: name, isNested: true)
        segments += archive.segments
        isSummaryOnly = archive.isSummaryOnly
        leftOut += archive.leftOut
      } catch {
        leftOut.append("\(entry.name): \(error.message)")
        // That an inner archive has no capture says less than what the outer one says.
        if firstError == nil, error.code != .noCapture { firstError = error }
      }
    }
  }

  /// The entries of an archive inside another; a zip goes to a temporary file, since it has to be read at any place.
  private static func entries(of entry: CaptureSegment, name: String) throws(CaptureError) -> [CaptureSegment]? {
    let beginning = try entry.firstBytes(CaptureContainer.detectionByteCount)
    switch CaptureContainer.detect(beginning.byteSpan) {
    case .zip: return try ZipArchive(RandomAccessFile.spool(try entry.open(), name: name, limit: nestedByteLimit), file: name).segments
    case .tar: return try TarArchive(entry.open).segments
    case .gzip: return try TarArchive(entry.inflated.open).segments
    default: return nil
    }
  }

  /// Looks for a snooz in the report's text.
  private mutating func takeSummary(_ entries: [CaptureSegment], file: String) {
    let texts = entries.lazy.filter { Self.isReportText($0.name) }
    for entry in texts.prefix(Self.textLimit) {
      let segment = CaptureSegment(name: "\(file)(\(entry.name))", open: entry.open)
      guard var snooz = try? SnoozText.snooz(in: try segment.open()),
        let bytes = try? snooz.readAll(upTo: Self.keptSummaryLimit), SnoozFormat.begins(bytes.byteSpan)
      else { continue }
      // A ring of 256 KiB is kept, which spares another search through the text; what is larger or damaged is read again when it is asked for.
      let isWhole = bytes.count < Self.keptSummaryLimit && snooz.toldDamage == nil
      let kept = CaptureSegment(name: segment.name) { () throws(CaptureError) -> any ByteSource in MemorySource(bytes: bytes) }
      let found = isWhole ? kept.fromSnooz : segment.fromSnoozText
      if segments.isEmpty {
        (segments, isSummaryOnly) = ([found], true)
      } else {
        summary = found
      }
      return
    }
  }

  /// `bugreport-DEVICE-BUILD-DATE.txt`; Samsung's are named `dumpState_….log`.
  private static func isReportText(_ path: String) -> Bool {
    let base = path.lowercased().split(separator: "/").last ?? ""
    return ["bugreport", "dumpstate"].contains { base.hasPrefix($0) } && [".txt", ".log"].contains { base.hasSuffix($0) }
  }

  private static func nothing(in entries: [CaptureSegment], file: String, _ leftOut: [String]) -> CaptureError {
    let seen = leftOut.isEmpty ? "" : " (\(leftOut.prefix(3).joined(separator: "; "))\(leftOut.count > 3 ? "; …" : ""))"
    return CaptureError(
      .noCapture, file: file, "holds no log of Bluetooth\(seen); \(CaptureAdvice.text(for: [file] + entries.map(\.name)))")
  }
}
