/// Walks through a JSON5 text value by value, without building a tree of it.
package struct JSON5Reader {
  private var tokenizer: JSON5Tokenizer
  private var ahead: JSON5Token?
  /// The place of the token that was taken last.
  package private(set) var place = TextPosition(line: 1, column: 1)

  /// Starts before the first value.
  package init(_ bytes: [UInt8]) { tokenizer = JSON5Tokenizer(bytes) }

  /// The next token, left in its place.
  package mutating func peek() throws(JSON5Error) -> JSON5Token {
    if let ahead { return ahead }
    let token = try tokenizer.next()
    ahead = token
    return token
  }

  /// Takes the next token.
  package mutating func next() throws(JSON5Error) -> JSON5Token {
    let token = try peek()
    ahead = nil
    place = token.position
    return token
  }

  /// Makes sure that nothing follows.
  package mutating func end() throws(JSON5Error) {
    let token = try next()
    guard token.kind == .end else {
      throw JSON5Error(token.position, "\(token.words) stands after the end of the scenario", "remove it; a file holds one scenario")
    }
  }

  // MARK: Objects

  /// Takes the brace that opens an object; `what` names it in messages.
  package mutating func beginObject<Key>(_ what: String, keys: Key.Type) throws(JSON5Error) -> JSON5Object<Key> {
    let token = try next()
    guard token.kind == .beginObject else { throw Self.expected(what, token, "write an object, { … }") }
    var object = JSON5Object<Key>(what: what, start: token.position)
    object.places.reserveCapacity(8)
    return object
  }

  /// Takes the next key and its colon; `nil` at the closing brace. Refuses unknown and repeated keys.
  package mutating func nextKey<Key>(_ object: inout JSON5Object<Key>) throws(JSON5Error) -> Key? {
    guard let text = try nextName(isFirst: object.places.isEmpty) else { return nil }
    guard let key = Key(rawValue: text) else {
      let known = Key.allCases.map(\.rawValue)
      let remedy =
        Spelling.suggestion(for: text, among: known).map { "did you mean \"\($0)\"?" }
        ?? "the keys it may have are \(known.joined(separator: ", "))"
      throw JSON5Error(place, "the key \(JSON5Writer.quoted(text, limit: 40)) is unknown in \(object.what)", remedy)
    }
    if let first = object.place(of: key) {
      throw JSON5Error(place, "the key \"\(text)\" stands twice in \(object.what), first in line \(first.line)", "remove one of them")
    }
    object.places.append((key, place))
    try colon(after: text)
    return key
  }

  /// The same for objects that are many: their short keys are found by their bytes.
  package mutating func nextKey<Key>(_ object: inout JSON5Object<Key>, among keys: JSON5KeyTable<Key>) throws(JSON5Error) -> Key? {
    if ahead == nil, case let before = tokenizer.offset,
      let (key, position) = tokenizer.plainKey(isFirst: object.places.isEmpty, among: keys)
    {
      if object.place(of: key) == nil {
        place = position
        object.places.append((key, position))
        return key
      }
      tokenizer.offset = before
    }
    return try nextKey(&object)
  }

  /// Takes the next key of an object whose keys are values, and its colon; `nil` at the closing brace.
  package mutating func nextFreeKey(isFirst: Bool) throws(JSON5Error) -> (text: String, place: TextPosition)? {
    guard let text = try nextName(isFirst: isFirst) else { return nil }
    let place = place
    try colon(after: text)
    return (text, place)
  }

  private mutating func nextName(isFirst: Bool) throws(JSON5Error) -> String? {
    guard let token = try nextMember(isFirst: isFirst, closing: .endObject) else { return nil }
    ahead = nil
    place = token.position
    switch token.kind {
    case .name(let text), .string(let text): return text
    default: throw Self.expected("a key or \"}\"", token, "write KEY: VALUE, or close the object")
    }
  }

  private mutating func colon(after key: String) throws(JSON5Error) {
    let token = try peek()
    guard token.kind == .colon else {
      throw Self.expected("\":\" after the key \(JSON5Writer.quoted(key, limit: 40))", token, "write KEY: VALUE")
    }
    ahead = nil
  }

  // MARK: Lists

  /// Takes the bracket that opens a list; `what` names it in messages.
  package mutating func beginList(_ what: String) throws(JSON5Error) {
    let token = try next()
    guard token.kind == .beginArray else { throw Self.expected(what, token, "write a list, [ … ]") }
  }

  /// Moves to the next element; `false` once the closing bracket is taken.
  package mutating func nextElement(isFirst: Bool) throws(JSON5Error) -> Bool {
    try nextMember(isFirst: isFirst, closing: .endArray) != nil
  }

  /// Takes the comma before a member, and the closing bracket after the last.
  private mutating func nextMember(isFirst: Bool, closing: JSON5Token.Kind) throws(JSON5Error) -> JSON5Token? {
    var token = try peek()
    if !isFirst, token.kind != closing {
      guard token.kind == .comma else {
        let bracket = closing == .endObject ? "\"}\"" : "\"]\""
        throw Self.expected("\",\" or \(bracket)", token, "add what is missing before it")
      }
      ahead = nil
      token = try peek()
    }
    guard token.kind != closing else {
      _ = try next()
      return nil
    }
    return token
  }

  // MARK: Values

  /// Whether a text in double quotes comes next.
  package mutating func isTextNext() -> Bool { ahead == nil && tokenizer.skipBlanks() == UInt8(ascii: "\"") }

  /// Takes a text; `what` names it in messages.
  package mutating func string(_ what: String) throws(JSON5Error) -> String {
    if isTextNext() {
      place = tokenizer.positionHere()
      return try tokenizer.quotedText(UInt8(ascii: "\""))
    }
    let token = try next()
    guard case .string(let text) = token.kind else { throw Self.expected(what, token, "write a text in double quotes") }
    return text
  }

  /// Takes a text in double quotes that is nothing but hexadecimal digits, in lower case; `nil`, and takes nothing, where something else
  /// comes next.
  package mutating func plainBytes() -> [UInt8]? {
    guard isTextNext(), case let start = tokenizer.positionHere(), let bytes = tokenizer.plainBytes() else { return nil }
    place = start
    return bytes
  }

  /// Takes a number of few digits, in units of 10^-`decimals`, that lies within `range`; `nil`, and takes nothing, where something else
  /// comes next.
  package mutating func plainNumber(decimals: Int = 0, in range: ClosedRange<Int64>) -> Int64? {
    guard ahead == nil, tokenizer.skipBlanks() != nil else { return nil }
    let (before, start) = (tokenizer.offset, tokenizer.positionHere())
    guard let value = tokenizer.plainNumber(decimals: decimals) else { return nil }
    guard range.contains(value) else {
      tokenizer.offset = before
      return nil
    }
    place = start
    return value
  }

  /// Takes `true` or `false`.
  package mutating func boolean(_ what: String) throws(JSON5Error) -> Bool {
    let token = try next()
    switch token.kind {
    case .name("true"): return true
    case .name("false"): return false
    default: throw Self.expected(what, token, "write true or false")
    }
  }

  /// Takes a whole number within `range`.
  package mutating func integer(_ what: String, in range: ClosedRange<Int>) throws(JSON5Error) -> Int {
    if let value = plainNumber(in: Int64(range.lowerBound)...Int64(range.upperBound)) { return Int(value) }
    let token = try next()
    guard let text = token.number else { throw Self.expected(what, token, "write a number") }
    guard case .value(let value) = ExactNumber(text), let value = Int(exactly: value), range.contains(value) else {
      throw JSON5Error(
        token.position, "\(what) cannot be \(JSON5Writer.printable(text, limit: 40))",
        "write a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  /// Takes a time in milliseconds, exact to the nanosecond.
  package mutating func milliseconds(_ what: String) throws(JSON5Error) -> Duration {
    if let nanoseconds = plainNumber(decimals: 6, in: 0...Int64.max) { return .nanoseconds(nanoseconds) }
    let token = try next()
    guard let text = token.number else { throw Self.expected(what, token, "write a number of milliseconds") }
    let remedy: String
    switch ExactNumber(text, decimals: 6) {
    case .value(let nanoseconds): return .nanoseconds(nanoseconds)
    case .notFinite: remedy = "write a number of milliseconds"
    case .tooLarge: remedy = "write less than 9223372036854 milliseconds (292 years)"
    case .tooFine: remedy = "write milliseconds with up to 6 decimals (nanoseconds)"
    }
    throw JSON5Error(token.position, "\(what) cannot be \(JSON5Writer.printable(text, limit: 40))", remedy)
  }

  /// An error that says what was expected, what stands there, and what to write.
  package static func expected(_ what: String, _ token: JSON5Token, _ remedy: String) -> JSON5Error {
    JSON5Error(token.position, "\(token.words) stands where \(what) should", remedy)
  }
}

/// An object that is being read: its keys so far, with their places.
package struct JSON5Object<Key: RawRepresentable<String> & CaseIterable & Equatable> {
  /// Its name in messages.
  let what: String
  /// The place of its opening brace.
  let start: TextPosition
  var places: [(key: Key, place: TextPosition)] = []

  /// Where `key` stands; `nil` where it does not.
  func place(of key: Key) -> TextPosition? { places.first { $0.key == key }?.place }

  /// An error at a key that stands in the object, or else at its start.
  func error(at key: Key, _ message: String, _ remedy: String) -> JSON5Error { JSON5Error(place(of: key) ?? start, message, remedy) }

  /// Refuses the object where `value` is missing.
  func require<Value>(_ value: Value?, _ key: Key, _ remedy: String) throws(JSON5Error) -> Value {
    guard let value else { throw JSON5Error(start, "the key \"\(key.rawValue)\" is missing in \(what)", "add \(remedy)") }
    return value
  }
}

extension JSON5Token {
  /// The text of a number; `nil` for any other token. `Infinity` and `NaN` count as numbers that nothing accepts.
  var number: String? {
    switch kind {
    case .number(let text): text
    case .name(let text) where text == "Infinity" || text == "NaN": text
    default: nil
    }
  }
}
