import ReplayScenarios
import SessionReconstruction

/// Turns the PDUs of one link into timeline entries.
struct EntryBuilder {
  /// An entry with the places on the recording that it was made from.
  struct Built {
    var entry: TimelineEntry
    /// Index of its first PDU, and of the PDU that completed it; `nil` where it got no answer.
    var first: Int
    var completion: Int?
  }

  let recording: LinkRecording
  private(set) var built: [Built] = []
  private var mtu: Int
  private var taken: Set<Int> = []
  /// Central requests in order, to find the parts of long reads and writes.
  private var centralRequests: [Int] = []

  /// `mtu` is the ATT MTU at the beginning.
  init(_ recording: LinkRecording, mtu: Int) {
    self.recording = recording
    self.mtu = mtu
    let pdus = recording.pdus
    centralRequests = pdus.indices.filter { pdus[$0].sender == .central && role($0) == .request }
    var place = 0
    for index in pdus.indices {
      while place < centralRequests.count, centralRequests[place] < index { place += 1 }
      guard pdus[index].answers == nil, !taken.contains(index) else { continue }
      add(index, requestPlace: place)
    }
  }

  private func role(_ index: Int) -> ATTOpcode.Role { recording.pdus[index].opcode.role }

  private func time(_ index: Int) -> Duration { .nanoseconds(recording.pdus[index].time) }

  private mutating func add(_ index: Int, requestPlace: Int) {
    let pdu = recording.pdus[index]
    let bytes = recording.bytes(index)
    let origin: TimelineEntry.Side = pdu.sender == .central ? .central : .peripheral
    let parsed = pdu.isMalformed || pdu.missing > 0 ? nil : try? ATTPDU(parsing: bytes)
    if origin == .central, let parsed, let long = long(parsed, index, requestPlace) {
      built.append(long)
      return
    }
    var entry = TimelineEntry(at: time(index), origin: origin, action: action(parsed, bytes))
    if pdu.missing > 0 { entry.truncated = pdu.missing }
    if let answer = pdu.answer {
      entry.answer = self.answer(recording.bytes(answer), to: entry)
      entry.latency = time(answer) - time(index)
      let missing = recording.pdus[answer].missing
      if missing > 0 { entry.answerTruncated = missing }
      if case .exchangeMTU(let asked) = entry.action, case .mtu(let granted)? = entry.answer { mtu = max(23, Int(min(asked, granted))) }
    } else if role(index) == .request || role(index) == .indication {
      entry.answer = TimelineEntry.Answer.none
    }
    built.append(Built(entry: entry, first: index, completion: entry.answer == nil ? index : pdu.answer))
  }

  private func action(_ pdu: ATTPDU?, _ bytes: [UInt8]) -> TimelineEntry.Action {
    switch pdu {
    case .exchangeMTURequest(let mtu): .exchangeMTU(mtu)
    case .readRequest(let handle): .read(handle)
    case .readBlobRequest(let handle, let offset): .readBlob(handle, offset: offset)
    case .writeRequest(let handle, let value): .write(handle, value)
    case .writeCommand(let handle, let value): .writeCommand(handle, value)
    case .handleValueNotification(let handle, let value): .notify(handle, value)
    case .handleValueIndication(let handle, let value): .indicate(handle, value)
    default: .pdu(bytes)
    }
  }

  /// An answer in the entry's own terms where these say every byte of it, else whole.
  private func answer(_ bytes: [UInt8], to entry: TimelineEntry) -> TimelineEntry.Answer {
    guard let pdu = try? ATTPDU(parsing: bytes), pdu.bytes == bytes else { return .pdu(bytes) }
    switch (entry.action, pdu) {
    case (.exchangeMTU, .exchangeMTUResponse(let mtu)): return .mtu(mtu)
    case (.exchangeMTU, .errorResponse(.exchangeMTURequest, AttributeHandle(0), let error)): return .error(error)
    case (.read, .readResponse(let value)), (.readBlob, .readBlobResponse(let value)): return .value(value)
    case (.write, .writeResponse), (.indicate, .handleValueConfirmation): return .ok
    case (.read(let handle), .errorResponse(.readRequest, let failed, let error)) where failed == handle: return .error(error)
    case (.readBlob(let handle, _), .errorResponse(.readBlobRequest, let failed, let error)) where failed == handle: return .error(error)
    case (.write(let handle, _), .errorResponse(.writeRequest, let failed, let error)) where failed == handle: return .error(error)
    default: return .pdu(bytes)
    }
  }

  // MARK: - Long reads and writes

  private mutating func long(_ pdu: ATTPDU, _ index: Int, _ place: Int) -> Built? {
    switch pdu {
    case .readRequest(let handle): longRead(handle, place)
    case .prepareWriteRequest(let handle, 0, _): longWrite(handle, place)
    default: nil
    }
  }

  private func exchange(_ place: Int) -> (request: ATTPDU, answer: ATTPDU, first: Int, last: Int)? {
    guard place < centralRequests.count else { return nil }
    let index = centralRequests[place]
    guard let answer = recording.pdus[index].answer, recording.pdus[index].missing == 0, recording.pdus[answer].missing == 0,
      let request = try? ATTPDU(parsing: recording.bytes(index)), let reply = try? ATTPDU(parsing: recording.bytes(answer)),
      reply.bytes == recording.bytes(answer)
    else { return nil }
    return (request, reply, index, answer)
  }

  private func part(_ first: Int, _ last: Int, since start: Int, count: Int?) -> TimelineEntry.Part {
    TimelineEntry.Part(offset: time(first) - time(start), count: count, latency: time(last) - time(first))
  }

  /// A Read Request whose answer filled the PDU, and the Read Blob Requests that went on from there.
  private mutating func longRead(_ handle: AttributeHandle, _ place: Int) -> Built? {
    guard let (_, answer, start, firstAnswer) = exchange(place), case .readResponse(var value) = answer, value.count == mtu - 1 else {
      return nil
    }
    var parts = [part(start, firstAnswer, since: start, count: value.count)]
    var (last, next, used) = (firstAnswer, place + 1, [start])
    while let (request, answer, first, reply) = exchange(next), first > last, case .readBlobRequest(handle, let offset) = request,
      Int(offset) == value.count, case .readBlobResponse(let bytes) = answer
    {
      value += bytes
      parts.append(part(first, reply, since: start, count: bytes.count))
      used.append(first)
      (last, next) = (reply, next + 1)
      if bytes.count < mtu - 1 { break }
    }
    guard parts.count > 1 else { return nil }
    taken.formUnion(used)
    let entry = TimelineEntry(
      at: time(start), action: .read(handle), answer: .value(value), parts: parts)
    return Built(entry: entry, first: start, completion: last)
  }

  /// Prepare Write Requests that make one value from its first byte on, and their Execute Write Request.
  private mutating func longWrite(_ handle: AttributeHandle, _ place: Int) -> Built? {
    var (value, parts, used, next): ([UInt8], [TimelineEntry.Part], [Int], Int) = ([], [], [], place)
    var (start, last) = (-1, -1)
    while let (request, answer, first, reply) = exchange(next), first > last {
      if case .prepareWriteRequest(handle, let offset, let bytes) = request, Int(offset) == value.count,
        answer == .prepareWriteResponse(handle: handle, offset: offset, part: bytes)
      {
        if start < 0 { start = first }
        value += bytes
        parts.append(part(first, reply, since: start, count: bytes.count))
        used.append(first)
        (last, next) = (reply, next + 1)
        continue
      }
      guard start >= 0, request == .executeWriteRequest(flags: 1) else { return nil }
      let outcome: TimelineEntry.Answer
      switch answer {
      case .executeWriteResponse: outcome = .ok
      case .errorResponse(.executeWriteRequest, handle, let error): outcome = .error(error)
      default: return nil
      }
      parts.append(part(first, reply, since: start, count: nil))
      taken.formUnion(used + [first])
      return Built(
        entry: TimelineEntry(at: time(start), action: .write(handle, value), answer: outcome, parts: parts), first: start, completion: reply
      )
    }
    return nil
  }
}
