import ReplayScenarios
import TestSupport
import Testing

/// Values that are put together from requests, counts and checksums.
struct ValueTemplateTests {
  private static func bytes(_ text: String, _ request: String = "a5 01 02 03 04", count: Int = 7) throws -> [UInt8]? {
    try ValueTemplate(text).bytes(request: hex(request), count: count) { $0 == AttributeHandle(0x18) ? [0xBE, 0xEF] : [] }
  }

  @Test(
    arguments: [
      ("", ""), ("a6", "a6"), ("a6 {1} {3}", "a60103"), ("{1..3}", "010203"), ("{3..}", "0304"), ("{5..}", ""), ("{ 2 }", "02"),
      ("{count}", "07"), ("{count:2}", "0700"), ("{count:2be}", "0007"), ("{count:be}", "07"), ("{length} 0000", "030000"),
      ("00 {length:2be} {0..}", "000008a501020304"), ("{value:0x0018} {value:0x0019}", "beef"), ("010203 {sum}", "01020306"),
      ("ff02 {sum}", "ff0201"), ("ff02 {sum:2}", "ff020101"), ("0102 {xor}", "010203"), ("55 0102 {xor@1}", "55010203"),
      ("{sum} {sum}", "0000"),
      // The check values of the catalogue of CRC algorithms, over "123456789".
      ("313233343536373839 {crc8}", "313233343536373839f4"), ("313233343536373839 {crc16:be}", "31323334353637383929b1"),
      ("313233343536373839 {crc16modbus:be}", "3132333435363738394b37"), ("313233343536373839 {crc32:be}", "313233343536373839cbf43926"),
    ])
  func values(text: String, expected: String) throws { #expect(try Self.bytes(text) == hex(expected), "\(text)") }

  @Test func whatARequestMustHave() throws {
    #expect(try ValueTemplate("{2} {4..}").minimumLength == 4)
    #expect(try ValueTemplate("{1..3}").minimumLength == 4)
    #expect(try ValueTemplate("00 {count}").minimumLength == 0)
    #expect(try Self.bytes("{4}", "a5 01 02 03") == nil)
    #expect(try Self.bytes("{4..}", "a5 01 02 03") == [])
    #expect(try Self.bytes("{5..}", "a5 01 02 03") == nil)
  }

  @Test(
    arguments: [
      ("a", "\"a\" is no hexadecimal"), ("zz", "\"zz\" is no hexadecimal"), ("{1", "the brace of \"{1\" is not closed"),
      ("{}", "{} is no field"),
      ("{-1}", "is no field"), ("{3..1}", "is no field"), ("{1..2..3}", "is no field"), ("{99999999999999999999}", "is no field"),
      ("{crc7}", "is no field"), ("{count:9}", "is no field"), ("{count:0}", "is no field"), ("{count@1}", "is no field"),
      ("{sum@-1}", "is no field"), ("{value:18}", "is no field"), ("{value:0x0}", "is no field"), ("{value:0x10000}", "is no field"),
      ("{Count}", "is no field"), ("a5 } b6", "is no hexadecimal"),
    ])
  func refusals(text: String, message: String) {
    #expect(throws: ValueTemplateError.self) { try ValueTemplate(text) }
    do { _ = try ValueTemplate(text) } catch { #expect("\(error)".contains(message), "\(error)") }
  }

  /// However much a template copies, an attribute holds 512 bytes.
  @Test func longValuesAreCut() throws {
    let request = String(repeating: "ab", count: 512)
    #expect(try Self.bytes("{0..} {0..} {0..} {crc32}", request)?.count == 512)
  }
}
