/// What differs between two scenarios of one device: its database, what it answered and told, and how long it took.
public struct ScenarioDifference: Sendable {
  /// What is left out of the comparison.
  public struct Ignored: OptionSet, Sendable {
    public let rawValue: Int
    /// Wraps bits.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// Discovery, MTU and what else a central's stack does by itself.
    public static let stack = Ignored(rawValue: 1)
    /// Attributes that only one of both has read.
    public static let unread = Ignored(rawValue: 2)
    /// Latencies and delays.
    public static let timing = Ignored(rawValue: 4)
  }

  /// One line of the comparison.
  public struct Line: Sendable, Equatable {
    public enum Area: String, Sendable, CaseIterable { case device, database, answers, timing }
    public var area: Area
    /// What differs, in words.
    public var text: String
  }

  public private(set) var lines: [Line] = []
  private let ignored: Ignored
  /// A latency that is more than twice as long, and longer by this, is another one.
  private static let noticeable = Duration.milliseconds(20)

  /// Compares `second` with `first`.
  public init(_ first: Scenario, _ second: Scenario, ignoring ignored: Ignored = []) {
    self.ignored = ignored
    compareDevices(first.device, second.device)
    if first.databases.count != second.databases.count {
      note(.database, "\(first.databases.count) databases, then \(second.databases.count)")
    }
    for (old, new) in zip(first.databases, second.databases) { compareDatabases(old, new) }
    compareTraffic(first, second)
  }

  private mutating func note(_ area: Line.Area, _ text: String) { lines.append(Line(area: area, text: text)) }

  private mutating func compareDevices(_ first: Device, _ second: Device) {
    if first.address != second.address { note(.device, "address: \(Self.text(first.address)), then \(Self.text(second.address))") }
    if first.name != second.name { note(.device, "name: \(Self.quoted(first.name)), then \(Self.quoted(second.name))") }
    if first.mtu != second.mtu, !ignored.contains(.stack) { note(.device, "MTU: \(first.mtu), then \(second.mtu)") }
    if let old = first.advertising, let new = second.advertising, old.provenance == .discovered, new.provenance == .discovered,
      old.data != new.data
    {
      note(.device, "advertising data: \(Hexadecimal.encode(old.data)), then \(Hexadecimal.encode(new.data))")
    }
  }

  private static func text(_ address: BluetoothAddress?) -> String { address?.description ?? "none" }
  private static func quoted(_ text: String?) -> String { text.map { JSON5Writer.quoted($0) } ?? "none" }

  // MARK: The database

  private mutating func compareDatabases(_ first: [Attribute], _ second: [Attribute]) {
    let old = Dictionary(first.map { ($0.handle, $0) }, uniquingKeysWith: { $1 })
    let new = Dictionary(second.map { ($0.handle, $0) }, uniquingKeysWith: { $1 })
    for handle in Set(old.keys).union(new.keys).sorted() {
      switch (old[handle], new[handle]) {
      case (let attribute?, nil): note(.database, "\(handle) \(Self.describe(attribute.kind)) is gone")
      case (nil, let attribute?): note(.database, "\(handle) \(Self.describe(attribute.kind)) is new")
      case (let before?, let after?):
        if before.kind != after.kind {
          note(.database, "\(handle): \(Self.describe(before.kind)), then \(Self.describe(after.kind))")
        }
        compareContents(before, after)
      case (nil, nil): break
      }
    }
  }

  private mutating func compareContents(_ before: Attribute, _ after: Attribute) {
    if before.content != after.content, !(ignored.contains(.unread) && (before.content == nil || after.content == nil)) {
      let values = [before.content, after.content].map { $0.map { Hexadecimal.encode($0) } ?? "not read" }
      note(.database, "\(before.handle) \(Self.describe(before.kind)): value \(values[0]), then \(values[1])")
    }
    if before.readError != after.readError || before.writeError != after.writeError {
      note(.database, "\(before.handle) \(Self.describe(before.kind)): permissions differ")
    }
  }

  static func describe(_ kind: Attribute.Kind) -> String {
    switch kind {
    case .service(let uuid, let primary, let end): "\(primary ? "" : "secondary ")service \(uuid) to \(end)"
    case .include(let uuid, let start, let end): "include \(uuid?.description ?? "?") \(start)…\(end)"
    case .characteristic(let uuid, let properties, let value):
      "characteristic \(uuid), properties \(hexadecimal(properties)), value \(value)"
    case .descriptor(let uuid): "descriptor \(uuid)"
    case .unknown: "unknown attribute"
    }
  }

  // MARK: What was asked and told

  /// What one scenario shows of one request: its answers in order, and what followed.
  private struct Dialogue {
    var answers: [TimelineEntry.Answer?] = []
    var latencies: [Duration] = []
  }

  private struct Request: Hashable, Comparable {
    let attribute: UInt16
    let text: String
    static func < (left: Self, right: Self) -> Bool { (left.attribute, left.text) < (right.attribute, right.text) }
  }

  private mutating func compareTraffic(_ first: Scenario, _ second: Scenario) {
    let (old, new) = (dialogues(first), dialogues(second))
    for request in Set(old.keys).union(new.keys).sorted() {
      switch (old[request], new[request]) {
      case (nil, _): if !ignored.contains(.unread) { note(.answers, "\(request.text): only in the second") }
      case (_, nil): if !ignored.contains(.unread) { note(.answers, "\(request.text): only in the first") }
      case (let before?, let after?):
        let place = zip(before.answers, after.answers).enumerated().first { $0.element.0 != $0.element.1 }
        if let place {
          let times = place.offset == 0 ? "" : ", the \(place.offset + 1)th time"
          note(.answers, "\(request.text)\(times): \(Self.text(place.element.0)), then \(Self.text(place.element.1))")
        }
        compareLatencies(before.latencies, after.latencies, request.text)
      }
    }
    compareTold(first, second)
  }

  private mutating func compareLatencies(_ first: [Duration], _ second: [Duration], _ text: String) {
    guard !ignored.contains(.timing), let before = Self.median(first), let after = Self.median(second) else { return }
    let (low, high) = (min(before, after), max(before, after))
    if high > low * 2, high - low > Self.noticeable {
      note(.timing, "\(text): answered after \(Self.milliseconds(before)), then \(Self.milliseconds(after))")
    }
  }

  /// How many values of each attribute the device told.
  private mutating func compareTold(_ first: Scenario, _ second: Scenario) {
    let (old, new) = (told(first), told(second))
    for handle in Set(old.keys).union(new.keys).sorted() {
      let counts = (old[handle] ?? 0, new[handle] ?? 0)
      if counts.0 == 0 || counts.1 == 0, !ignored.contains(.unread) {
        note(.answers, "values of \(handle): \(counts.0), then \(counts.1)")
      }
    }
  }

  private func told(_ scenario: Scenario) -> [AttributeHandle: Int] {
    var counts: [AttributeHandle: Int] = [:]
    for entry in scenario.sessions.flatMap(\.entries) where entry.origin == .peripheral {
      switch entry.action {
      case .notify(let handle, _), .indicate(let handle, _): counts[handle, default: 0] += 1
      default: break
      }
    }
    return counts
  }

  private func dialogues(_ scenario: Scenario) -> [Request: Dialogue] {
    var found: [Request: Dialogue] = [:]
    for entry in scenario.sessions.flatMap(\.entries) where entry.origin == .central {
      guard let text = request(entry) else { continue }
      let key = Request(attribute: entry.attribute?.rawValue ?? 0, text: text)
      found[key, default: Dialogue()].answers.append(entry.answer)
      if let latency = entry.latency { found[key]?.latencies.append(latency) }
    }
    return found
  }

  private func request(_ entry: TimelineEntry) -> String? {
    switch entry.action {
    case .read(let handle): return "read \(handle)"
    case .readBlob(let handle, let offset): return "read \(handle) from \(offset)"
    case .write(let handle, let value): return "write \(handle) \(Hexadecimal.encode(value))"
    case .exchangeMTU(let mtu): return ignored.contains(.stack) ? nil : "MTU \(mtu)"
    case .pdu(let bytes): return ignored.contains(.stack) ? nil : "PDU \(Hexadecimal.encode(bytes))"
    case .link(let procedure): return ignored.contains(.stack) || !procedure.isAsked ? nil : procedure.words
    default: return nil
    }
  }

  private static func text(_ answer: TimelineEntry.Answer?) -> String {
    switch answer {
    case nil, TimelineEntry.Answer.none?: "no answer"
    case .ok?: "ok"
    case .value(let bytes)?: Hexadecimal.encode(bytes)
    case .mtu(let mtu)?: "\(mtu)"
    case .error(let error)?: "\(error)"
    case .refused(let code)?: "error \(code)"
    case .pdu(let bytes)?: "PDU \(Hexadecimal.encode(bytes))"
    }
  }

  private static func median(_ times: [Duration]) -> Duration? { times.isEmpty ? nil : times.sorted()[times.count / 2] }

  private static func milliseconds(_ time: Duration) -> String {
    var text = TextBuffer(capacity: 64)
    text.milliseconds(time.wholeNanoseconds / 1000 * 1000)
    return String(decoding: text.bytes, as: UTF8.self) + " ms"
  }
}
