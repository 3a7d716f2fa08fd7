import ByteParsing

/// A capture file format: hands its packets, one after the other, to an emitter.
protocol RecordContainer {
  /// Bytes consumed so far.
  var byteOffset: Int { get }

  /// Hands over every record that is left; what is wrong with the container becomes a finding of the emitter.
  mutating func forEachRecord(_ emitter: inout RecordEmitter, _ body: (borrowing CaptureRecord) throws -> Void) throws
}

extension RecordEmitter {
  /// The file ended inside a record; `what` tells how much of it is there.
  mutating func noteCutEnd(at byteOffset: Int, _ what: String) {
    let (number, ofPart) = (recordCount + 1, ofPart)
    findings.add(
      .cutLastRecord, .warning, frame: number, "record \(number) at byte \(byteOffset)\(ofPart) is cut: \(what); all before it was read")
  }

  /// The file is damaged at a place after which nothing can be found. Where it is all there is and no record came before, nothing was read.
  mutating func noteCorrupt(at byteOffset: Int, _ what: String) throws(CaptureError) {
    let (number, ofPart) = (recordCount + 1, ofPart)
    guard recordCount > 0 || partName != nil else { throw damage(at: byteOffset, what) }
    if firstDamage == nil { firstDamage = damage(at: byteOffset, what) }
    findings.add(
      .corruptRecord, .problem, frame: number,
      "record \(number) at byte \(byteOffset)\(ofPart) \(what): the file is damaged, reading stops here")
  }

  private var ofPart: String { partName.map { " of \($0)" } ?? "" }

  private func damage(at byteOffset: Int, _ what: String) -> CaptureError {
    CaptureError(
      .damaged, file: partName ?? file, byteOffset: byteOffset,
      "is damaged at its first record, which \(what): nothing can be read; copy the file again")
  }
}
