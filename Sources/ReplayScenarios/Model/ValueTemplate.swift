import ByteParsing

/// A value that is put together when it is needed: hexadecimal bytes, and fields in braces between them.
///
/// `{2}`, `{1..3}`, `{4..}`: these bytes of the written value, from 0. `{count}`: how often the rule was followed on this link, from 1.
/// `{length}`: the number of bytes of the whole value. `{sum}`, `{xor}`, `{crc8}`, `{crc16}`, `{crc16modbus}`, `{crc32}`: over all bytes
/// before it, or from one on, `{sum@1}`. `{value:0x0018}`: what the attribute has now. Numbers have as many bytes as `:2` says, one
/// unless given (a checksum its own size), the least significant first unless `be` follows: `{count:2be}`.
public struct ValueTemplate: Sendable, Equatable {
  enum Number: String, CaseIterable { case count, length, sum, xor, crc8, crc16, crc16modbus, crc32 }

  enum Part: Equatable {
    case bytes([UInt8])
    /// `nil` is the end.
    case copy(from: Int, through: Int?)
    case number(Number, size: Int, isBigEndian: Bool, from: Int)
    case value(AttributeHandle)
  }

  let parts: [Part]
  /// The text as it was written.
  public let text: String

  /// A value that is always the same.
  public init(_ bytes: [UInt8]) { (parts, text) = (bytes.isEmpty ? [] : [.bytes(bytes)], Hexadecimal.encode(bytes)) }

  /// Reads the text form.
  public init(_ text: String) throws(ValueTemplateError) {
    var parts: [Part] = []
    var rest = text[...]
    while let brace = rest.firstIndex(of: "{") {
      try Self.add(rest[..<brace], &parts)
      guard let end = rest[brace...].firstIndex(of: "}") else {
        throw ValueTemplateError("the brace of \"\(rest[brace...].prefix(20))\" is not closed")
      }
      parts.append(try Self.field(rest[rest.index(after: brace)..<end]))
      rest = rest[rest.index(after: end)...]
    }
    try Self.add(rest, &parts)
    (self.parts, self.text) = (parts, text)
  }

  private static func add(_ text: Substring, _ parts: inout [Part]) throws(ValueTemplateError) {
    guard let bytes = Hexadecimal.decode(String(text)) else {
      throw ValueTemplateError("\"\(text.prefix(40))\" is no hexadecimal: write two digits a byte, and fields in braces")
    }
    if !bytes.isEmpty { parts.append(.bytes(bytes)) }
  }

  private static let fieldHelp =
    "write {2}, {1..3}, {count}, {length}, {sum}, {xor}, {crc8}, {crc16}, {crc16modbus}, {crc32} or {value:0x0018}"

  private static func field(_ text: Substring) throws(ValueTemplateError) -> Part {
    let field = text.filter { $0 != " " }
    func unknown() -> ValueTemplateError { ValueTemplateError("{\(text.prefix(40))} is no field: \(fieldHelp)") }
    if field.first?.isNumber == true {
      let ends = field.split(separator: "..", omittingEmptySubsequences: false)
      guard ends.count <= 2, let from = Int(ends[0]), from < 0xFFFF else { throw unknown() }
      guard ends.count == 2 else { return .copy(from: from, through: from) }
      if ends[1].isEmpty { return .copy(from: from, through: nil) }
      guard let through = Int(ends[1]), through >= from, through < 0xFFFF else { throw unknown() }
      return .copy(from: from, through: through)
    }
    if field.hasPrefix("value:0x") {
      guard let handle = UInt16(field.dropFirst(8), radix: 16), handle > 0 else { throw unknown() }
      return .value(AttributeHandle(handle))
    }
    let halves = field.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let names = halves[0].split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    guard let number = Number(rawValue: String(names[0])) else { throw unknown() }
    var (size, isBigEndian, from) = (number.size, false, 0)
    if names.count == 2 {
      guard number.isChecksum, let start = Int(names[1]), (0..<0xFFFF).contains(start) else { throw unknown() }
      from = start
    }
    if halves.count == 2 {
      var form = halves[1]
      if form.hasSuffix("be") { (isBigEndian, form) = (true, form.dropLast(2)) }
      if !form.isEmpty {
        guard let bytes = Int(form), (1...8).contains(bytes) else { throw unknown() }
        size = bytes
      }
    }
    return .number(number, size: size, isBigEndian: isBigEndian, from: from)
  }

  /// Attributes whose values it copies.
  var attributes: [AttributeHandle] {
    parts.compactMap { if case .value(let handle) = $0 { handle } else { nil } }
  }

  /// The template with other bytes in place of those that stand there.
  func replacing(_ change: ([UInt8]) -> [UInt8]) -> ValueTemplate {
    var (changed, texts): ([Part], [String]) = ([], [])
    for part in parts {
      if case .bytes(let bytes) = part { changed.append(.bytes(change(bytes))) } else { changed.append(part) }
    }
    for part in changed {
      switch part {
      case .bytes(let bytes): texts.append(Hexadecimal.encode(bytes))
      case .copy(let from, let through): texts.append(through == from ? "{\(from)}" : "{\(from)..\(through.map(String.init) ?? "")}")
      case .number(let number, let size, let isBigEndian, let from):
        let form = size == number.size && !isBigEndian ? "" : ":\(size)\(isBigEndian ? "be" : "")"
        texts.append("{\(number.rawValue)\(from == 0 ? "" : "@\(from)")\(form)}")
      case .value(let handle): texts.append("{value:\(handle)}")
      }
    }
    return ValueTemplate(parts: changed, text: texts.joined(separator: " "))
  }

  private init(parts: [Part], text: String) { (self.parts, self.text) = (parts, text) }

  /// How many bytes the written value must have.
  public var minimumLength: Int {
    parts.reduce(0) { most, part in
      guard case .copy(let from, let through) = part else { return most }
      return max(most, (through ?? from - 1) + 1)
    }
  }

  /// The value; `nil` where the request is too short. No value is longer than an attribute's may be, 512 bytes.
  public func bytes(request: [UInt8], count: Int, values: (AttributeHandle) -> [UInt8]) -> [UInt8]? {
    guard request.count >= minimumLength else { return nil }
    let contents = parts.map { part -> [UInt8]? in
      switch part {
      case .bytes(let bytes): bytes
      case .copy(let from, let through): Array(request[from..<(through.map { $0 + 1 } ?? request.count)])
      case .value(let handle): values(handle)
      case .number: nil
      }
    }
    let length = zip(parts, contents).reduce(0) { sum, part in
      if case .number(_, let size, _, _) = part.0 { sum + size } else { sum + (part.1?.count ?? 0) }
    }
    var result: [UInt8] = []
    for (part, content) in zip(parts, contents) {
      guard case .number(let number, let size, let isBigEndian, let from) = part else {
        result += content ?? []
        continue
      }
      let value: UInt64 =
        switch number {
        case .count: UInt64(clamping: count)
        case .length: UInt64(length)
        default: number.checksum(of: result.dropFirst(from))
        }
      let octets = (0..<size).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
      result += isBigEndian ? octets.reversed() : octets
    }
    return Array(result.prefix(512))
  }
}

extension ValueTemplate.Number {
  var isChecksum: Bool { self != .count && self != .length }

  var size: Int {
    switch self {
    case .count, .length, .sum, .xor, .crc8: 1
    case .crc16, .crc16modbus: 2
    case .crc32: 4
    }
  }

  /// CRC-8: polynomial 0x07, begins with 0. CRC-16: 0x1021, begins with 0xFFFF (CCITT-FALSE). Modbus: 0x8005 reflected, begins with 0xFFFF.
  /// CRC-32: 0x04C11DB7 reflected, begins and ends with all ones (IEEE 802.3).
  func checksum(of bytes: ArraySlice<UInt8>) -> UInt64 {
    switch self {
    case .count, .length: return 0
    case .sum: return bytes.reduce(0) { $0 &+ UInt64($1) }
    case .xor: return UInt64(bytes.reduce(0, ^))
    case .crc8:
      return UInt64(
        bytes.reduce(UInt8(0)) { crc, byte in (0..<8).reduce(crc ^ byte) { value, _ in value & 0x80 != 0 ? value << 1 ^ 0x07 : value << 1 }
        })
    case .crc16:
      return UInt64(
        bytes.reduce(UInt16(0xFFFF)) { crc, byte in
          (0..<8).reduce(crc ^ UInt16(byte) << 8) { value, _ in value & 0x8000 != 0 ? value << 1 ^ 0x1021 : value << 1 }
        })
    case .crc16modbus: return Self.reflected(bytes, 0xA001, 0xFFFF)
    case .crc32: return Self.reflected(bytes, 0xEDB8_8320, 0xFFFF_FFFF) ^ 0xFFFF_FFFF
    }
  }

  private static func reflected(_ bytes: ArraySlice<UInt8>, _ polynomial: UInt64, _ start: UInt64) -> UInt64 {
    bytes.reduce(start) { crc, byte in
      (0..<8).reduce(crc ^ UInt64(byte)) { value, _ in value & 1 != 0 ? value >> 1 ^ polynomial : value >> 1 }
    }
  }
}

/// A template cannot be read.
public struct ValueTemplateError: Error, Sendable, CustomStringConvertible {
  public let description: String
  init(_ description: String) { self.description = description }
}
