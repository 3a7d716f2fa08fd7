/// One token of a JSON5 text with its place.
package struct JSON5Token: Sendable, Equatable {
  /// What stands there; comments and white space are passed over.
  package enum Kind: Sendable, Equatable {
    case beginObject, endObject, beginArray, endArray, colon, comma
    /// A quoted string, its escapes resolved.
    case string(String)
    /// A name without quotes: an object's key, or `true`, `false`, `null`, `Infinity`, `NaN`.
    case name(String)
    /// A number as it was written, with its sign.
    case number(String)
    /// The end of the text.
    case end
  }
  package var kind: Kind
  package var position: TextPosition

  /// The token in words, for messages; a long text is cut.
  package var words: String {
    switch kind {
    case .beginObject: "an object"
    case .endObject: "\"}\""
    case .beginArray: "a list"
    case .endArray: "\"]\""
    case .colon: "\":\""
    case .comma: "\",\""
    case .string(let text): "the text \(JSON5Writer.quoted(text, limit: 40))"
    case .name(let text): JSON5Writer.printable(text, limit: 40)
    case .number(let text): "the number \(JSON5Writer.printable(text, limit: 40))"
    case .end: "the end of the file"
    }
  }
}
