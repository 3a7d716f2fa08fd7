import ByteParsing

/// A tar, listed in one pass over its bytes; an entry is read in another pass that skips to it.
///
/// So a tar.gz of any size needs no more memory than its list of names.
struct TarArchive: Sendable {
  /// One file in it.
  struct Entry: Sendable, Hashable {
    var name: String
    /// Where its content begins.
    var offset: Int
    var byteCount: Int
    /// The first bytes of the content, so that what it is can be told without another pass.
    var beginning: [UInt8]
  }

  static let entryLimit = 1 << 16
  private static let nameLimit = 1 << 20
  private static let nameTotalLimit = 1 << 26
  /// How much of an entry is kept for telling what it is: less where the name says nothing.
  private static let (longBeginning, shortBeginning) = (4096, 32)

  private(set) var entries: [Entry] = []
  /// Why the list ends early; `nil` where all entries were listed.
  private(set) var damage: String?
  private let open: @Sendable () throws(CaptureError) -> any ByteSource

  /// Lists what `open` hands out, which starts over at each call.
  init(_ open: @escaping @Sendable () throws(CaptureError) -> any ByteSource) throws(CaptureError) {
    self.open = open
    let source = try open()
    try list(source)
    if damage != nil, let told = source.toldDamage { damage = told }
  }

  /// All files in it.
  var segments: [CaptureSegment] {
    entries.map { entry in
      CaptureSegment(name: entry.name, beginning: entry.beginning) { [open] () throws(CaptureError) -> any ByteSource in
        SkippingSource(try open(), entry.offset, entry.byteCount, name: entry.name)
      }
    }
  }

  private mutating func list(_ source: any ByteSource) throws(CaptureError) {
    var input = InputBuffer(source)
    var (longName, extended): (String?, PaxRecords?) = (nil, nil)
    var nameTotal = 0
    while try input.fill(TarHeader.byteCount) {
      guard let header = TarHeader(input.span(TarHeader.byteCount)) else {
        // Two blocks of zeros are the end; what a tape has behind them is nobody's.
        let isEnd = input.span(TarHeader.byteCount).array.allSatisfy { $0 == 0 }
        if !isEnd { damage = "the tar is damaged at byte \(input.fileOffset)" }
        return
      }
      input.consume(TarHeader.byteCount)
      let size = header.kind == .longName || header.kind == .extended ? header.byteCount : extended?.size ?? header.byteCount
      switch header.kind {
      case .longName:
        longName = String(decoding: try Self.content(&input, size).prefix { $0 != 0 }, as: UTF8.self)
      case .extended: extended = PaxRecords(try Self.content(&input, size))
      case .file:
        let name = extended?.path ?? longName ?? header.name
        nameTotal += name.utf8.count
        guard entries.count < Self.entryLimit, nameTotal <= Self.nameTotalLimit else {
          damage = "the tar has more than \(entries.count) entries; the others were not looked at"
          return
        }
        let wanted = CaptureName(name) == nil ? Self.shortBeginning : Self.longBeginning
        _ = try input.fill(min(size, wanted))
        let beginning = input.span(min(input.available, size, wanted)).array
        entries.append(Entry(name: name, offset: input.fileOffset, byteCount: size, beginning: beginning))
        (longName, extended) = (nil, nil)
      case .other: (longName, extended) = (nil, nil)
      }
      let isSpecial = header.kind == .longName || header.kind == .extended
      let skipped = Self.padded(size) - (isSpecial ? min(size, Self.nameLimit) : 0)
      guard try Self.skip(skipped, &input) else { return damage = "the tar is cut at byte \(input.fileOffset)" }
    }
    // Some writers leave the end mark out; a part of a header is a cut.
    if input.available > 0 || entries.isEmpty { damage = "the tar is cut at byte \(input.fileOffset + input.available)" }
  }

  private static func padded(_ size: Int) -> Int { (size + TarHeader.byteCount - 1) & ~(TarHeader.byteCount - 1) }

  /// The content of a header of names, up to a limit.
  private static func content(_ input: inout InputBuffer, _ size: Int) throws(CaptureError) -> [UInt8] {
    let wanted = min(size, nameLimit)
    _ = try input.fill(wanted)
    let bytes = input.span(min(input.available, wanted)).array
    input.consume(bytes.count)
    return bytes
  }

  private static func skip(_ count: Int, _ input: inout InputBuffer) throws(CaptureError) -> Bool {
    var rest = count
    while rest > 0 {
      guard try input.fill(1) else { return false }
      let step = min(rest, input.available)
      input.consume(step)
      rest -= step
    }
    return true
  }
}
