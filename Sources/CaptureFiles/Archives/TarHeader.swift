import ByteParsing

/// The 512 bytes that begin each entry of a tar.
///
/// `name(100) mode(8) owner(8) group(8) size(12) time(12) checksum(8) type(1) link(100) "ustar"(6) version(2) owner(32) group(32) major(8)
/// minor(8) prefix(155)`; numbers are octal text, or from GNU tar 96 bits behind a set top bit (POSIX.1-2017 pax; GNU tar manual, "Basic
/// Tar Format").
struct TarHeader: Hashable {
  static let byteCount = 512
  private static let checksumRange = 148..<156

  /// What an entry is, as far as reading needs it.
  enum Kind: Hashable {
    case file
    /// Its content is the next entry's name (GNU).
    case longName
    /// Its content are records that hold for the next entry (pax).
    case extended
    case other
  }

  var name: String
  var byteCount: Int
  var kind: Kind

  /// Reads a header; `nil` where its checksum or its size does not hold.
  init?(_ bytes: RawSpan) {
    guard bytes.byteCount == Self.byteCount, Self.hasChecksum(bytes), let size = Self.number(bytes.extracting(124..<136)) else {
      return nil
    }
    byteCount = size
    let name = Self.text(bytes.extracting(0..<100))
    // GNU's own variant keeps times where POSIX has the prefix.
    let isPOSIX = bytes.extracting(257..<263).array == Array("ustar\0".utf8)
    let prefix = isPOSIX ? Self.text(bytes.extracting(345..<500)) : ""
    self.name = prefix.isEmpty ? name : "\(prefix)/\(name)"
    switch bytes.uint8(at: 156) {
    case 0, UInt8(ascii: "0"), UInt8(ascii: "7"): kind = .file
    case UInt8(ascii: "L"): kind = .longName
    case UInt8(ascii: "x"): kind = .extended
    default: kind = .other
    }
  }

  /// Whether a tar begins with these bytes: the mark of POSIX and GNU, and a checksum that holds.
  static func begins(_ bytes: RawSpan) -> Bool {
    bytes.byteCount >= byteCount && bytes.extracting(257..<262).array == Array("ustar".utf8) && hasChecksum(bytes.extracting(0..<byteCount))
  }

  /// The sum of all bytes, those of the checksum itself counted as spaces; old writers summed signed ones.
  private static func hasChecksum(_ bytes: RawSpan) -> Bool {
    guard let stated = number(bytes.extracting(checksumRange)) else { return false }
    var (unsigned, signed) = (0, 0)
    for offset in 0..<byteCount {
      let byte = checksumRange.contains(offset) ? UInt8(ascii: " ") : bytes.uint8(at: offset)
      unsigned += Int(byte)
      signed += Int(Int8(bitPattern: byte))
    }
    return stated == unsigned || stated == signed
  }

  private static func text(_ bytes: RawSpan) -> String { String(decoding: bytes.array.prefix { $0 != 0 }, as: UTF8.self) }

  /// A number that fits a file's size; `nil` for any other.
  private static func number(_ bytes: RawSpan) -> Int? {
    let largest = 1 << 50
    if bytes.uint8(at: 0) & 0x80 != 0 {
      var value = Int(bytes.uint8(at: 0) & 0x7F)
      for offset in 1..<bytes.byteCount {
        guard value <= largest >> 8 else { return nil }
        value = value << 8 | Int(bytes.uint8(at: offset))
      }
      return value
    }
    let digits = bytes.array.drop { $0 == UInt8(ascii: " ") }.prefix { $0 != 0 && $0 != UInt8(ascii: " ") }
    guard digits.count <= 16, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }) else { return nil }
    return digits.reduce(0) { $0 << 3 | Int($1 - UInt8(ascii: "0")) }
  }
}
