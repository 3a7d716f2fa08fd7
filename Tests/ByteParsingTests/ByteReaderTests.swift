import ByteParsing
import TestSupport
import Testing

struct ByteReaderTests {
  private let bytes = hex("01 0203 04050607 08090a0b0c0d 0e0f101112131415 16171819 1a1b1c1d1e1f2021 2223")

  @Test func readsEachWidthInOrder() throws {
    var reader = ByteReader(bytes.byteSpan, layer: .att)
    let (one, two, four) = (try reader.uint8(), try reader.uint16(), try reader.uint32())
    let (six, eight) = (try reader.uint48(), try reader.uint64())
    let (bigFour, bigEight) = (try reader.uint32BigEndian(), try reader.uint64BigEndian())
    let (offset, left) = (reader.offset, reader.remaining)
    let rest = reader.rest().array
    let end = reader.remaining
    #expect(one == 0x01)
    #expect(two == 0x0302)
    #expect(four == 0x0706_0504)
    #expect(six == 0x0D0C_0B0A_0908)
    #expect(eight == 0x1514_1312_1110_0F0E)
    #expect(bigFour == 0x1617_1819)
    #expect(bigEight == 0x1A1B_1C1D_1E1F_2021)
    #expect((offset, left) == (33, 2))
    #expect(rest == hex("2223"))
    #expect(end == 0)
  }

  @Test(arguments: ["uint8", "uint16", "uint32", "uint48", "uint64", "uint32BigEndian", "uint64BigEndian", "slice", "skip"])
  func aReadPastTheEndThrowsAndReadsNothing(what: String) throws {
    let widths = ["uint8": 1, "uint16": 2, "uint32": 4, "uint48": 6, "uint64": 8, "uint32BigEndian": 4, "uint64BigEndian": 8]
    let width = widths[what] ?? 3
    for available in 0..<width {
      let short = Array(bytes.prefix(available))
      var reader = ByteReader(short.byteSpan, layer: .l2cap)
      var failure: ParseError?
      do throws(ParseError) {
        switch what {
        case "uint8": _ = try reader.uint8()
        case "uint16": _ = try reader.uint16()
        case "uint32": _ = try reader.uint32()
        case "uint48": _ = try reader.uint48()
        case "uint64": _ = try reader.uint64()
        case "uint32BigEndian": _ = try reader.uint32BigEndian()
        case "uint64BigEndian": _ = try reader.uint64BigEndian()
        case "slice": _ = try reader.slice(3)
        default: try reader.skip(3)
        }
      } catch { failure = error }
      let offset = reader.offset
      #expect(failure?.code == .truncated)
      #expect(failure?.layer == .l2cap)
      #expect(failure?.needed == width)
      #expect(failure?.available == available)
      #expect(offset == 0)
    }
  }

  @Test func aNegativeCountThrows() {
    var reader = ByteReader(bytes.byteSpan, layer: .file)
    var failed = false
    do { try reader.skip(-1) } catch { failed = true }
    #expect(failed)
  }

  @Test func slicesAndTheEnd() throws {
    var reader = ByteReader(bytes.byteSpan, layer: .file)
    try reader.skip(1)
    let slice = try reader.slice(2).array
    let empty = try reader.slice(0).byteCount
    var failure: ParseError?
    do { try reader.expectEnd("too much") } catch { failure = error }
    #expect(slice == hex("0203"))
    #expect(empty == 0)
    #expect(failure?.description == "file, byte 3: too much")
    #expect(failure == .malformed(.att, at: 0, "equal by code"))
  }

  @Test func writerIsTheReversOfTheReader() {
    var writer = ByteWriter()
    writer.uint8(0x01)
    writer.uint16(0x0302)
    writer.uint32(0x0706_0504)
    writer.uint48(0xFFFF_0D0C_0B0A_0908)
    writer.uint64(0x1514_1312_1110_0F0E)
    writer.uint32BigEndian(0x1617_1819)
    writer.uint64BigEndian(0x1A1B_1C1D_1E1F_2021)
    writer.append([0x22])
    let last: [UInt8] = [0x23]
    writer.append(last.byteSpan)
    #expect(writer.bytes == bytes)
  }

  @Test(
    arguments: [
      ("", []), ("00", [0]), ("fF 0a", [0xFF, 0x0A]), (" 1 2", [0x12]),
    ] as [(String, [UInt8])])
  func hexadecimalIsRead(text: String, bytes: [UInt8]) { #expect(Hexadecimal.decode(text) == bytes) }

  @Test(arguments: ["0", "0x", "gg", "00 0", "é"])
  func otherTextIsNoHexadecimal(text: String) { #expect(Hexadecimal.decode(text) == nil) }

  @Test func everyOctetIsWritten() {
    let all = (0...255).map { UInt8($0) }
    let text = Hexadecimal.encode(all)
    #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff") && text.utf8.count == 512)
    #expect(Hexadecimal.decode(text) == all)
    #expect(Hexadecimal.encode([]) == "")
    var behind = Array("x".utf8)
    Hexadecimal.append([0xAB], to: &behind)
    #expect(String(decoding: behind, as: UTF8.self) == "xab")
  }
}
