import ReplayScenarios
import SessionReconstruction

/// Turns the PDUs of one link into timeline entries: into outlines at once, into entries one by one when they are asked for.
struct EntryBuilder {
  let recording: LinkRecording
  private(set) var outlines: [EntryOutline] = []
  private var longs: [TimelineEntry] = []
  /// The ATT MTU of the fixed channel, and of each bearer of Enhanced ATT by its channel.
  private var mtu: Int
  private let bearerMTUs: [Int: Int]
  private var taken: Set<Int> = []
  /// Central requests in order, to find the parts of long reads and writes.
  private var centralRequests: [Int32] = []

  /// `mtu` is the ATT MTU at the beginning.
  init(_ recording: LinkRecording, mtu: Int) {
    self.recording = recording
    self.mtu = mtu
    bearerMTUs = Self.bearerMTUs(recording.events)
    for index in recording.pdus.indices {
      let pdu = recording.pdus[index]
      if pdu.sender == .central, pdu.opcode.role == .request { centralRequests.append(Int32(index)) }
    }
    outlines.reserveCapacity(recording.pdus.count)
    var place = 0
    for index in recording.pdus.indices {
      while place < centralRequests.count, centralRequests[place] < index { place += 1 }
      let pdu = recording.pdus[index]
      guard pdu.answers == nil, taken.isEmpty || !taken.contains(index) else { continue }
      add(index, pdu, requestPlace: place)
    }
  }

  private static func bearerMTUs(_ events: [LinkEvent]) -> [Int: Int] {
    var mtus: [Int: Int] = [:]
    for event in events {
      if case .openChannel(let opening) = event.procedure, opening.psm == L2CAPChannelOpening.enhancedATT {
        mtus[opening.channel] = opening.attributeMTU
      }
    }
    return mtus
  }

  /// The ATT MTU that holds for a PDU.
  private func mtu(of pdu: LinkRecording.PDU) -> Int { pdu.bearer.map { bearerMTUs[$0] ?? 23 } ?? mtu }

  /// When a PDU went by, since the link's start.
  func time(_ index: Int) -> Duration { .nanoseconds(recording.pdus[index].time) }

  private mutating func add(_ index: Int, _ pdu: LinkRecording.PDU, requestPlace: Int) {
    let isFromCentral = pdu.sender == .central
    let isWhole = !pdu.isMalformed && pdu.missing == 0
    if isFromCentral, isWhole, let (entry, last) = long(pdu.opcode, index, requestPlace) {
      longs.append(entry)
      outlines.append(
        EntryOutline(
          action: pdu.opcode == .readRequest ? .read : .write, isFromCentral: true, asks: true, first: Int32(index),
          completion: Int32(last),
          long: Int32(longs.count - 1)))
      return
    }
    let role = pdu.opcode.role
    let asks = role == .request || role == .indication
    let answer = pdu.answer
    let outline = EntryOutline(
      action: isWhole ? EntryOutline.Action(pdu.opcode) : .pdu, isFromCentral: isFromCentral, asks: asks || answer != nil,
      first: Int32(index), completion: Int32(answer ?? (asks ? -1 : index)))
    outlines.append(outline)
    if outline.action == .exchangeMTU {
      let entry = entry(outlines.count - 1)
      if entry.bearer == nil, case .exchangeMTU(let asked) = entry.action, case .mtu(let granted)? = entry.answer {
        mtu = max(23, Int(min(asked, granted)))
      }
    }
  }

  /// An entry in full, without its name and anchor.
  func entry(_ index: Int) -> TimelineEntry {
    let outline = outlines[index]
    if outline.long >= 0 { return longs[Int(outline.long)] }
    let first = Int(outline.first)
    let pdu = recording.pdus[first]
    let bytes = recording.bytes(first)
    let parsed = outline.action == .pdu ? nil : try? ATTPDU(parsing: bytes)
    var entry = TimelineEntry(
      at: time(first), origin: outline.isFromCentral ? .central : .peripheral, action: action(parsed, bytes), bearer: pdu.bearer)
    if pdu.missing > 0 { entry.truncated = pdu.missing }
    guard outline.asks else { return entry }
    guard let answer = outline.completed else {
      entry.answer = TimelineEntry.Answer.none
      return entry
    }
    entry.answer = self.answer(recording.bytes(answer), to: entry)
    entry.latency = time(answer) - time(first)
    let missing = recording.pdus[answer].missing
    if missing > 0 { entry.answerTruncated = missing }
    return entry
  }

  /// The answer where it says no more than its opcode and a value; `nil` where the entry has to be made to tell.
  func plainAnswer(_ outline: EntryOutline) -> EntryLine.Answer? {
    guard outline.asks else { return .absent }
    guard let completed = outline.completed else { return EntryLine.Answer.none }
    let answer = recording.pdus[completed]
    guard answer.missing == 0 else { return nil }
    switch (outline.action, answer.opcode) {
    case (.read, .readResponse): return .value
    case (.write, .writeResponse), (.indicate, .handleValueConfirmation): return recording.length(completed) == 1 ? .ok : nil
    default: return nil
    }
  }

  /// The attribute that an entry is about; `nil` where it names none.
  func attribute(_ outline: EntryOutline) -> AttributeHandle? {
    switch outline.action {
    case .exchangeMTU: nil
    case .pdu: (try? ATTPDU(parsing: recording.bytes(Int(outline.first))))?.attributeHandle
    default: recording.pdus[Int(outline.first)].attribute
    }
  }

  /// The value that a write of one request, a command, a notification or an indication carries, borrowed.
  @_lifetime(borrow self)
  func value(_ outline: EntryOutline) -> RawSpan { recording.span(Int(outline.first)).suffix(from: 3) }

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

  /// A long read or write that begins here, and the PDU that completed it.
  private mutating func long(_ opcode: ATTOpcode, _ index: Int, _ place: Int) -> (TimelineEntry, last: Int)? {
    switch opcode {
    case .readRequest:
      // An answer that did not fill the PDU was the whole value.
      guard let answer = recording.pdus[index].answer, recording.length(answer) == mtu(of: recording.pdus[index]),
        case .readRequest(let handle)? = try? ATTPDU(parsing: recording.bytes(index))
      else { return nil }
      return longRead(handle, place)
    case .prepareWriteRequest:
      guard case .prepareWriteRequest(let handle, 0, _)? = try? ATTPDU(parsing: recording.bytes(index)) else { return nil }
      return longWrite(handle, place)
    default: return nil
    }
  }

  private func exchange(_ place: Int) -> (request: ATTPDU, answer: ATTPDU, first: Int, last: Int)? {
    guard place < centralRequests.count else { return nil }
    let index = Int(centralRequests[place])
    guard let answer = recording.pdus[index].answer, recording.pdus[index].missing == 0, recording.pdus[answer].missing == 0,
      let request = try? ATTPDU(parsing: recording.bytes(index)), let reply = try? ATTPDU(parsing: recording.bytes(answer)),
      reply.bytes == recording.bytes(answer)
    else { return nil }
    return (request, reply, index, answer)
  }

  /// The place of the next request on the same bearer; the count where there is none.
  private func following(_ place: Int) -> Int {
    let bearer = recording.pdus[Int(centralRequests[place])].bearer
    var next = place + 1
    while next < centralRequests.count, recording.pdus[Int(centralRequests[next])].bearer != bearer { next += 1 }
    return next
  }

  private func part(_ first: Int, _ last: Int, since start: Int, count: Int?) -> TimelineEntry.Part {
    TimelineEntry.Part(offset: time(first) - time(start), count: count, latency: time(last) - time(first))
  }

  /// A Read Request whose answer filled the PDU, and the Read Blob Requests that went on from there.
  private mutating func longRead(_ handle: AttributeHandle, _ place: Int) -> (TimelineEntry, last: Int)? {
    guard let (_, answer, start, firstAnswer) = exchange(place) else { return nil }
    let (bearer, full) = (recording.pdus[start].bearer, mtu(of: recording.pdus[start]) - 1)
    guard case .readResponse(var value) = answer, value.count == full else { return nil }
    var parts = [part(start, firstAnswer, since: start, count: value.count)]
    var (last, next, used) = (firstAnswer, following(place), [start])
    while let (request, answer, first, reply) = exchange(next), first > last,
      case .readBlobRequest(handle, let offset) = request,
      Int(offset) == value.count, case .readBlobResponse(let bytes) = answer
    {
      value += bytes
      parts.append(part(first, reply, since: start, count: bytes.count))
      used.append(first)
      (last, next) = (reply, following(next))
      if bytes.count < full { break }
    }
    guard parts.count > 1 else { return nil }
    taken.formUnion(used)
    return (TimelineEntry(at: time(start), action: .read(handle), bearer: bearer, answer: .value(value), parts: parts), last)
  }

  /// Prepare Write Requests that make one value from its first byte on, and their Execute Write Request.
  private mutating func longWrite(_ handle: AttributeHandle, _ place: Int) -> (TimelineEntry, last: Int)? {
    var (value, parts, used, next): ([UInt8], [TimelineEntry.Part], [Int], Int) = ([], [], [], place)
    var (start, last) = (-1, -1)
    let bearer = recording.pdus[Int(centralRequests[place])].bearer
    while let (request, answer, first, reply) = exchange(next), first > last {
      if case .prepareWriteRequest(handle, let offset, let bytes) = request, Int(offset) == value.count,
        answer == .prepareWriteResponse(handle: handle, offset: offset, part: bytes)
      {
        if start < 0 { start = first }
        value += bytes
        parts.append(part(first, reply, since: start, count: bytes.count))
        used.append(first)
        (last, next) = (reply, following(next))
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
      return (TimelineEntry(at: time(start), action: .write(handle, value), bearer: bearer, answer: outcome, parts: parts), reply)
    }
    return nil
  }
}
