import ByteParsing

/// One opened capture file, alone or among the parts of a log.
struct CapturePart {
  let name: String
  let format: CaptureFormat
  var container: any RecordContainer
  /// Where the bytes come from, to be asked for damage at the end.
  let source: any ByteSource

  /// Opens a segment; `file` is its name for messages.
  init(_ segment: CaptureSegment, file: String, options: CaptureOptions) throws(CaptureError) {
    name = segment.name
    source = try segment.open()
    var input = InputBuffer(source)
    // Enough for the longest packet's record and the header behind it.
    _ = try input.fill(1 << 17)
    format = try Self.detect(input.span(input.available), file: file, options: options)
    container = try Self.open(input, format, file: file, options: options)
  }

  private static func detect(_ beginning: RawSpan, file: String, options: CaptureOptions) throws(CaptureError) -> CaptureFormat {
    if beginning.byteCount >= BtsnoopFormat.headerByteCount, beginning.extracting(0..<8).array == BtsnoopFormat.magic {
      return .btsnoop(try BtsnoopDatalink.detect(beginning, file: file))
    }
    if let layout = PcapContainer.Layout(detecting: beginning) {
      return .pcap(try PcapContainer.linkType(beginning, layout, file: file, options: options))
    }
    if PcapngContainer.detect(beginning) { return .pcapng(try PcapngContainer.linkTypes(beginning, file: file, options: options)) }
    if let layout = PacketLoggerFormat(detecting: beginning) { return .packetLogger(bigEndian: layout.isBigEndian) }
    throw CaptureReader.refusal(of: beginning, file: file)
  }

  private static func open(
    _ input: InputBuffer, _ format: CaptureFormat, file: String, options: CaptureOptions
  ) throws(CaptureError) -> any RecordContainer {
    let beginning = input.span(input.available)
    switch format {
    case .btsnoop(let datalink): return BtsnoopContainer(input, datalink)
    case .pcap(let type):
      if let layout = PcapContainer.Layout(detecting: beginning) { return try PcapContainer(input, layout, linkType: type, file: file) }
    case .pcapng: return PcapngContainer(input, options: options)
    case .packetLogger: if let layout = PacketLoggerFormat(detecting: beginning) { return PacketLoggerContainer(input, layout) }
    }
    throw CaptureReader.refusal(of: beginning, file: file)
  }

  /// The parts in the order of their first records' times; one without a time keeps its place, and times of unset clocks decide nothing.
  static func ordered(_ segments: [CaptureSegment], _ options: CaptureOptions) -> [(CaptureSegment, CaptureTime?)] {
    let timed = segments.map { ($0, firstTime(of: $0, options)) }
    guard timed.allSatisfy({ $0.1.map { $0.seconds >= ClockRepair.earliest } ?? true }) else { return timed }
    let known = timed.indices.filter { timed[$0].1 != nil }
    var ordered = timed
    for (place, from) in zip(known, known.sorted { (timed[$0].1 ?? .least, $0) < (timed[$1].1 ?? .least, $1) }) {
      ordered[place] = timed[from]
    }
    return ordered
  }

  private struct Enough: Error {}

  /// The time of a part's first packet.
  private static func firstTime(of segment: CaptureSegment, _ options: CaptureOptions) -> CaptureTime? {
    guard var part = try? CapturePart(segment, file: segment.name, options: options) else { return nil }
    var emitter = RecordEmitter(file: segment.name, options: options)
    var time: CaptureTime?
    do {
      try part.container.forEachRecord(&emitter) { record in
        time = record.recordedTime
        if record.kind.isPacket { throw Enough() }
      }
    } catch {
      // A part without a packet, or that breaks off before one, has the time of what it has.
    }
    return time
  }
}

extension RecordEmitter {
  /// Tells what an archive holds besides, and what is joined.
  mutating func note(_ contents: CaptureContents, order names: [String]) {
    if names.count > 1 { findings.add(.joinedParts, .note, frame: nil, "read as one log: \(names.joined(separator: ", "))") }
    if contents.container == .snooz || contents.container == .snoozText || contents.archive?.isSummaryOnly == true {
      findings.add(
        .shortenedLog, .warning, frame: nil,
        "this is the summary of a bug report (btsnooz): the last moments only, most packets cut; for a full log, \(CaptureAdvice.android)")
    }
    if contents.archive?.summary != nil {
      findings.add(.shortenedLog, .note, frame: nil, "the report also has a summary (btsnooz), which is shortened; the full log was taken")
    }
    for name in contents.archive?.leftOut ?? [] { findings.add(.leftOut, .note, frame: nil, "left out: \(name)") }
    if let damage = contents.damage { findings.add(.damagedArchive, .warning, frame: nil, "the archive is damaged: \(damage)") }
  }

  /// Tells what is known when a part has been read.
  mutating func noteEnd(of part: CapturePart) {
    if let damage = part.source.toldDamage {
      findings.add(.damagedArchive, .warning, frame: recordCount, "\(part.name) ends early: \(damage)")
    }
    if (part.source as? SnoozSource)?.keepsTimes == false {
      findings.add(.missingTime, .warning, frame: nil, "the summary does not tell when its packets were; all have the time of the last")
    }
    if overlap.omitted > 0 {
      findings.add(
        .joinedParts, .note, frame: nil,
        "\(overlap.omitted) record\(overlap.omitted == 1 ? "" : "s") of \(part.name) stood in the part before, too, and count once")
    }
  }
}
