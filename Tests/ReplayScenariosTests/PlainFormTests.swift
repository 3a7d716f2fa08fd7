import ReplayScenarios
import Testing

/// The forms that are read without making tokens of them mean, or are refused, as the same with a comment in it, which is read token by token.
@Suite struct PlainFormTests {
  /// What a text means, or what is said of it without the place.
  private func meaning(_ text: String) -> String {
    do { return "\(try Scenario(reading: text, file: "f"))" } catch { return error.description.split(separator: ": ").dropFirst().joined() }
  }

  /// An entry between commas or braces, with `note` before and behind each colon and comma of its own.
  private func document(_ members: [(key: String, value: String)], _ note: String) -> String {
    let entry = members.map { "\($0.key):\(note)\($0.value)\(note)" }.joined(separator: ",\(note)")
    return "{ format: 'understudy/1', sessions: [{ entries: [ {\(note)\(entry)} ] }] }"
  }

  private func check(_ members: [(key: String, value: String)]) {
    #expect(meaning(document(members, " ")) == meaning(document(members, " /**/ ")))
    #expect(meaning(document(members, "")) == meaning(document(members, "/**/")))
  }

  @Test(arguments: [
    "0", "12", "12.5", "0.000001", "0.0000001", "0.1234567", "1.", ".5", "01", "00.5", "-1", "+1", "1e3", "0x10", "0x", "1.2.3", "12ms", "",
    "999999999999", "9223372036854", "9223372036855", "99999999999999999999", "123456789012345678", "Infinity", "NaN", "'1'", "1 2",
  ])
  func numbers(text: String) {
    check([("at", text), ("read", "3")])
    check([("at", "1"), ("read", text)])
    check([("at", "1"), ("readBlob", "3"), ("offset", text)])
  }

  @Test(arguments: ["0x0012", "0X0012", "18", "0x0000", "0xffff", "0x10000", "0x123456789", "65536", "0xg", "0x1.5", "0x12 ", "0x00000012"])
  func handles(text: String) { check([("at", "1"), ("read", text)]) }

  @Test(arguments: [
    "\"\"", "\"0a\"", "\"0A\"", "\"0\"", "\"0g\"", "\"0 a\"", "'0a'", #""\x30a""#, "\"0a", "\"0a\n\"", "0a", "\"ok\"", "\"none\"", "[]",
    "\"é0\"",
  ])
  func bytes(text: String) {
    check([("at", "1"), ("write", "3"), ("value", text)])
    check([("at", "1"), ("read", "3"), ("answer", text)])
    check([("at", "1"), ("by", "\"peripheral\""), ("notify", "3"), ("value", "\"00\""), ("after", text)])
  }

  @Test(arguments: ["at", "\"at\"", "at ", "\0at", "a", "", "at/", "@at", "\\u0061t", "read", "id", "cancelled", "truncated"])
  func keys(text: String) { check([("read", "3"), (text, "1")]) }
}
