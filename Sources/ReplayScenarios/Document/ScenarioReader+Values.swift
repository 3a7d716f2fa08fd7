extension ScenarioReader {
  /// Takes one of an enumeration's words.
  mutating func word<Word: RawRepresentable<String> & CaseIterable>(_ what: String, _: Word.Type) throws(JSON5Error) -> Word {
    let text = try json.string(what)
    if let word = Word(rawValue: text) { return word }
    throw unknownWord(text, what, Word.allCases.map(\.rawValue))
  }

  /// Takes a code by its name, or by its number.
  mutating func code<Code: RawRepresentable<UInt8>>(_ what: String, _ names: [(name: String, kind: Code)]) throws(JSON5Error) -> Code {
    if try json.peek().number != nil {
      if let code = Code(rawValue: try octet(what)) { return code }
    }
    let text = try json.string(what)
    if let known = names.first(where: { $0.name == text }) { return known.kind }
    throw unknownWord(text, what, names.map(\.name))
  }

  /// Takes a list of words that stand for bits, from bit 0 on.
  mutating func bits(_ what: String, each: String, _ words: [String]) throws(JSON5Error) -> UInt8 {
    var bits: UInt8 = 0
    var isFirst = true
    try json.beginList(what)
    while try json.nextElement(isFirst: isFirst) {
      isFirst = false
      let text = try json.string(each)
      guard let bit = words.firstIndex(of: text) else { throw unknownWord(text, each, words) }
      bits |= 1 << UInt8(bit)
    }
    return bits
  }

  /// Takes an address whose type can only be random.
  mutating func randomAddress(_ what: String) throws(JSON5Error) -> BluetoothAddress {
    try address(try json.string(what), .random, at: json.place)
  }

  /// The address of a text that was taken before.
  func address(_ text: String, _ kind: BluetoothAddress.Kind, at place: TextPosition?) throws(JSON5Error) -> BluetoothAddress {
    guard let parsed = BluetoothAddress(text, kind: kind) else {
      throw JSON5Error(
        place ?? json.place, "\(JSON5Writer.quoted(text, limit: 40)) is no device address",
        "write six hexadecimal octets, as C0:11:22:33:44:55")
    }
    return parsed
  }

  /// The error of a word that `what` may not be.
  func unknownWord(_ text: String, _ what: String, _ known: [String]) -> JSON5Error {
    let remedy =
      Spelling.suggestion(for: text, among: known).map { "did you mean \"\($0)\"?" }
      ?? "write one of \(known.map { "\"\($0)\"" }.joined(separator: ", "))"
    return JSON5Error(json.place, "\(what) cannot be \(JSON5Writer.quoted(text, limit: 40))", remedy)
  }

  /// Takes bytes as hexadecimal text.
  mutating func hex(_ what: String) throws(JSON5Error) -> [UInt8] {
    if let bytes = json.plainBytes() { return bytes }
    return try hex(what, try json.string(what))
  }

  /// The bytes of hexadecimal text that was taken just before.
  func hex(_ what: String, _ text: String) throws(JSON5Error) -> [UInt8] {
    if let bytes = Hexadecimal.decode(text) { return bytes }
    if let wrong = text.unicodeScalars.first(where: { !$0.properties.isASCIIHexDigit && $0 != " " }) {
      throw JSON5Error(
        json.place, "\(what) holds \(JSON5Writer.quoted(String(wrong))), which is no hexadecimal digit",
        "write two digits 0…9, a…f for each byte")
    }
    throw JSON5Error(json.place, "\(what) has an odd number of hexadecimal digits", "write two digits for each byte")
  }

  /// Takes an attribute's handle; recorded traffic may hold the reserved handle 0, nothing else may.
  mutating func handle(_ what: @autoclosure () -> String, recorded: Bool = false) throws(JSON5Error) -> AttributeHandle {
    if let handle = json.plainNumber(in: (recorded ? 0 : 1)...0xFFFF) { return AttributeHandle(UInt16(truncatingIfNeeded: handle)) }
    let what = what()
    let token = try json.next()
    guard let text = token.number else { throw JSON5Reader.expected(what, token, "write a number, as 0x0012") }
    guard case .value(let value) = ExactNumber(text), let handle = UInt16(exactly: value), handle > 0 || recorded else {
      throw JSON5Error(
        token.position, "\(what) cannot be \(JSON5Writer.printable(text, limit: 40))", "write a handle from 0x0001 to 0xffff")
    }
    return AttributeHandle(handle)
  }

  /// Takes a UUID.
  mutating func uuid(_ what: String) throws(JSON5Error) -> BluetoothUUID { try uuid(what, try json.string(what)) }

  /// The UUID of a text that was taken just before.
  func uuid(_ what: String, _ text: String) throws(JSON5Error) -> BluetoothUUID {
    guard let uuid = BluetoothUUID(text) else {
      throw JSON5Error(
        json.place, "\(what) is \(JSON5Writer.quoted(text, limit: 40)), which is no UUID",
        "write 4 or 8 hexadecimal digits, or 32 with hyphens 8-4-4-4-12")
    }
    return uuid
  }

  /// Takes an octet.
  mutating func octet(_ what: String) throws(JSON5Error) -> UInt8 {
    UInt8(truncatingIfNeeded: try json.integer(what, in: 0...0xFF))
  }

  /// Takes a number of 16 bits.
  mutating func number16(_ what: String) throws(JSON5Error) -> UInt16 {
    UInt16(truncatingIfNeeded: try json.integer(what, in: 0...0xFFFF))
  }

  /// Takes the `true` of a key that may have no other value.
  mutating func flag(_ name: String) throws(JSON5Error) {
    guard try json.boolean("\"\(name)\"") else {
      throw JSON5Error(json.place, "\"\(name)\" cannot be false", "write \(name): true, or remove it")
    }
  }
}
