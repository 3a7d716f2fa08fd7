import ByteParsing

/// Looks through the entries of one archive for captures: by name first, then by what they begin with.
struct CapturePicker {
  /// A capture that was found.
  struct Found {
    var name: CaptureName
    var segment: CaptureSegment
  }

  /// Names that held no capture after all, with the reason: `NAME: REASON`.
  private(set) var rejected: [String] = []
  /// Why the first entry could not be opened; the error to throw where nothing else is found.
  private(set) var firstError: CaptureError?
  private(set) var found: [Found] = []
  private let file: String

  /// Enough to look at: names of rotated logs are few, and each costs an opening.
  private static let lookLimit = 1024

  init(file: String) { self.file = file }

  /// Collects the captures among entries whose names say that they are some.
  mutating func pick(_ entries: [CaptureSegment]) {
    let named = entries.lazy.compactMap { entry in CaptureName(entry.name).map { ($0, entry) } }.prefix(Self.lookLimit)
    for (name, entry) in named {
      if let segment = confirm(entry, by: CaptureContainer.isCapture) { found.append(Found(name: name, segment: segment)) }
    }
    found.sort { ($0.name, $0.segment.name) < ($1.name, $1.segment.name) }
  }

  /// Collects what begins as a capture whatever its name; for archives that somebody packed by hand.
  mutating func pickByContent(_ entries: [CaptureSegment]) {
    for entry in entries.prefix(Self.lookLimit) {
      guard let segment = confirm(entry, by: CaptureContainer.isCaptureByMagic), let name = CaptureName(entry.name + ".btsnoop") else {
        continue
      }
      found.append(Found(name: name, segment: segment))
    }
    found.sort { $0.segment.name < $1.segment.name }
  }

  /// The entry as a capture, gzip and snooz taken off; `nil` where it begins as something else.
  private mutating func confirm(_ entry: CaptureSegment, by isCapture: (RawSpan) -> Bool) -> CaptureSegment? {
    var segment = CaptureSegment(name: "\(file)(\(entry.name))", beginning: entry.beginning, open: entry.open)
    do throws(CaptureError) {
      var beginning = try segment.firstBytes(CaptureContainer.detectionByteCount)
      if CaptureContainer.detect(beginning.byteSpan) == .gzip {
        // What is known of the beginning mostly inflates to enough, and saves a pass over a whole tar.
        var inner: any ByteSource = InflatingSource(MemorySource(bytes: beginning), .gzip)
        beginning = try inner.readAll(upTo: CaptureContainer.detectionByteCount)
        segment = segment.inflated
        if beginning.count < 64 { beginning = try segment.firstBytes(CaptureContainer.detectionByteCount) }
      }
      if isCapture(beginning.byteSpan) { return segment }
      if CaptureContainer.detect(beginning.byteSpan) == .snooz { return segment.fromSnooz }
      rejected.append("\(entry.name): \(beginning.isEmpty ? "is empty" : "holds no capture")")
    } catch {
      if firstError == nil { firstError = error }
      rejected.append("\(entry.name): \(error.message)")
    }
    return nil
  }
}
