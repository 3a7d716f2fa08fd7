import ByteParsing
import CaptureFiles
import SessionReconstruction

extension Promises {
  /// More is read of no input: archives inflate to a thousand times their size.
  private static let recordLimit = 20_000

  /// Reads a capture to its end, reconstructs it and converts it to every format that is written.
  mutating func hold(forCapture bytes: [UInt8], options: CaptureOptions = CaptureOptions()) {
    do {
      var reader = try CaptureReader(bytes: bytes, file: "fuzz", options: options)
      var conversions = CaptureOutputFormat.allCases.map { Conversion($0, of: reader.format) }
      let tooLong = try read(&reader, &conversions)
      hold(forFindings: reader.findings.findings)
      guard !tooLong else { return }
      let records = reader.recordCount
      try hold(forReconstruction: CaptureReader(bytes: bytes, file: "fuzz", options: options), records: records)
      for conversion in conversions { hold(forConversion: conversion) }
    } catch {
      hold(error is CaptureError, "an error of another kind: \(error)")
    }
  }

  private struct Enough: Error {}

  /// Reads all records; tells whether there are too many.
  private mutating func read(_ reader: inout CaptureReader, _ conversions: inout [Conversion]) throws -> Bool {
    var last: (number: Int, offset: Int, time: CaptureTime)?
    // Each part of an archive counts its own bytes.
    let hasOnePart = reader.byteCount != nil
    do {
      try reader.forEachRecord { record in
        let (number, offset, time) = (record.number, record.byteOffset, record.time)
        if let last {
          hold(number == last.number || number == last.number + 1, "record \(number) follows record \(last.number)")
          hold(offset >= last.offset || !hasOnePart, "record \(number) at \(offset) follows one at \(last.offset)")
          hold(time >= last.time, "the time of record \(number) goes back from \(last.time) to \(time)")
        } else {
          hold(number == 1, "the first record is number \(number)")
        }
        last = (number, offset, time)
        hold(offset >= 0, "record \(number) at byte \(offset)")
        hold((0..<1_000_000_000).contains(time.nanoseconds), "\(time.nanoseconds) nanoseconds in record \(number)")
        hold(
          record.bytes.byteCount <= record.originalLength,
          "record \(number) has \(record.bytes.byteCount) bytes of \(record.originalLength)")
        for index in conversions.indices { conversions[index].append(record) }
        if number > Self.recordLimit { throw Enough() }
      }
    } catch is Enough {
      return true
    }
    hold((last?.number ?? 0) == reader.recordCount, "\(last?.number ?? 0) records came and \(reader.recordCount) were counted")
    return false
  }

  private mutating func hold(forFindings findings: [Finding]) {
    let counts = Dictionary(findings.map { ($0.code, 1) }, uniquingKeysWith: +)
    for (code, count) in counts where code != .moreFindings {
      hold(count <= FindingLog.limit, "\(count) findings of \(code)")
    }
  }

  private final class Watcher: ATTObserver {
    var events: [ATTEvent] = []
    func observe(_ event: ATTEvent, pdu: RawSpan) { events.append(event) }
  }

  private mutating func hold(forReconstruction reader: CaptureReader, records: Int) throws {
    let watcher = Watcher()
    let capture = try Reconstruction(reader, observer: watcher)
    hold(capture.records == records, "\(capture.records) records, and \(records) before")
    hold(forFindings: capture.findings)
    var numbers: [Int: Int] = [:]
    for event in watcher.events {
      hold(capture.links.indices.contains(event.link - 1), "a PDU is of link \(event.link) of \(capture.links.count)")
      numbers[event.link, default: 0] += 1
      hold(event.number == numbers[event.link], "PDU \(event.number) of link \(event.link) is its \(numbers[event.link] ?? 0)th")
      if let answered = event.answers { hold((1..<event.number).contains(answered), "PDU \(event.number) answers \(answered)") }
      hold((1...max(1, records)).contains(event.frame), "a PDU of frame \(event.frame) among \(records)")
      hold(
        event.time >= event.linkStart && event.missing >= 0, "a PDU of frame \(event.frame) is before its link, or misses less than nothing"
      )
    }
    for (index, link) in capture.links.enumerated() {
      hold(link.index == index + 1, "link \(link.index) is number \(index + 1)")
      hold(link.attPDUs == numbers[link.index, default: 0], "link \(link.index) counts \(link.attPDUs) PDUs")
      hold((link.endFrame ?? .max) >= link.startFrame && link.end ?? link.start >= link.start, "link \(link.index) ends before it begins")
      hold(link.lastActivity >= link.start, "link \(link.index) was active last before it began")
    }
  }

  /// Reads what was written; HCI packets have to be there again.
  private mutating func hold(forConversion conversion: Conversion) {
    guard !conversion.expected.isEmpty else { return }
    let name = "converted to \(conversion.format.rawValue)"
    do {
      var reader = try CaptureReader(bytes: conversion.bytes, file: name)
      var count = 0
      try reader.forEachRecord { record in
        guard let packet = Conversion.Packet(record) else { return }
        defer { count += 1 }
        guard count < conversion.expected.count else { return }
        let expected = conversion.expected[count]
        hold(
          packet.kind == expected.kind && packet.direction == expected.direction && packet.bytes == expected.bytes,
          "\(name), packet \(count + 1) was \(expected) and is \(packet)")
        guard expected.isWhole else { return }
        hold(
          conversion.isSame(packet.time, expected.time) && packet.adapter == expected.adapter,
          "\(name), packet \(count + 1) was at \(expected.time) of \(expected.adapter) and is at \(packet.time) of \(packet.adapter)")
      }
      hold(count == conversion.expected.count, "\(name), \(conversion.expected.count) packets are \(count)")
      hold(reader.findings.count(of: .corruptRecord) == 0, "\(name), it is damaged: \(reader.findings.findings)")
    } catch {
      hold(false, "\(name), it is refused: \(error)")
    }
  }
}
