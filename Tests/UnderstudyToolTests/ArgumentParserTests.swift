import Testing

@testable import understudy
import ReplayReports

struct ArgumentParserTests {
  private let parser = ArgumentParser(
    commands: [
      Command(
        name: "pack", abstract: "Pack.", operands: "FILE", operandCount: 0...2, discussion: "",
        options: [
          Option("--output", short: "-o", value: "FILE", help: "Where to."),
          Option("--peer", value: "ADDRESS", repeats: true, help: "Whom."),
          Option("--quiet", help: "Say less."),
        ]
      ) { _, _ in .success }
    ], common: Understudy.commonOptions)

  private func parse(_ words: String...) throws -> Arguments {
    guard case .run(_, let arguments) = try parser.parse(["pack"] + words) else { throw UsageError(description: "not run") }
    return arguments
  }

  private func complaint(_ words: String...) -> String? {
    do { _ = try parser.parse(["pack"] + words) } catch { return error.description }
    return nil
  }

  @Test func valuesStandBehindASpaceOrASign() throws {
    #expect(try parse("--output", "a").value("--output") == "a")
    #expect(try parse("--output=a=b").value("--output") == "a=b")
    #expect(try parse("--output=").value("--output") == "")
    #expect(try parse("-o", "a").value("--output") == "a")
    #expect(try parse("--output", "--quiet").value("--output") == "--quiet")
  }

  @Test func onlySomeOptionsRepeat() throws {
    #expect(try parse("--peer", "a", "x", "--peer=b").all("--peer") == ["a", "b"])
    #expect(complaint("--output", "a", "-o", "b") == "--output is given twice; give it once")
    #expect(try parse("--quiet", "--quiet").has("--quiet"))
  }

  @Test func operandsAndOptionsMix() throws {
    let arguments = try parse("a", "--quiet", "-")
    #expect(arguments.operands == ["a", "-"])
    #expect(arguments.has("--quiet"))
    #expect(!arguments.has("--peer"))
    #expect(try parse("--", "--quiet", "--").operands == ["--quiet", "--"])
  }

  @Test func wrongUse() {
    #expect(complaint("--output") == "--output needs a value, FILE; run 'understudy pack --help'")
    #expect(complaint("--quiet=yes") == "--quiet takes no value; run 'understudy pack --help'")
    #expect(complaint("a", "b", "c") == "'c' is one operand too many for pack; run 'understudy pack --help'")
    #expect(complaint("--ouptut", "a") == "unknown option '--ouptut' of pack; did you mean '--output'? 'understudy pack --help' lists all")
    #expect(complaint("-x") == "unknown option '-x' of pack; 'understudy pack --help' lists all")
    #expect(complaint("--\u{1B}[2J")?.contains("\\u{1b}[2J") == true)
  }

  @Test(arguments: [
    ("", "", 0), ("a", "", 1), ("", "ab", 2), ("abc", "acb", 1), ("abc", "abd", 1), ("kitten", "sitting", 3), ("ca", "abc", 3),
  ])
  func distances(left: String, right: String, expected: Int) { #expect(distance(Array(left), Array(right)) == expected) }

  @Test func jsonIsEscapedAndOrdered() {
    var bytes: [UInt8] = []
    JSONValue.object([
      ("b", .array([])), ("a", .array([.string("\"\\\n\u{1}é\u{7F}"), .null, .bool(true), .integer(-1)])), ("c", .object([])),
    ])
    .append(to: &bytes)
    #expect(
      String(decoding: bytes, as: UTF8.self) == """
        {
          "b": [],
          "a": [
            "\\"\\\\\\n\\u0001é\\u007f",
            null,
            true,
            -1
          ],
          "c": {}
        }
        """)
  }

  @Test(arguments: [0, 9, 10, 99, 100, 1_234_567_890, Int.max, -1, Int.min])
  func decimals(value: Int) {
    var bytes: [UInt8] = []
    bytes.appendDecimal(value)
    #expect(String(decoding: bytes, as: UTF8.self) == String(value))
    bytes = []
    bytes.appendDecimal(7, width: 9)
    #expect(String(decoding: bytes, as: UTF8.self) == "000000007")
  }
}
