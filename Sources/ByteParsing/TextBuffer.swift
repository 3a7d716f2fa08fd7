/// UTF-8 text that grows at its end, made for writing many short pieces fast.
public struct TextBuffer: Sendable {
  /// The text, and room behind it.
  @usableFromInline var storage: [UInt8]
  /// Bytes of text.
  public private(set) var count = 0

  /// An empty text with room for `capacity` bytes.
  public init(capacity: Int = 1 << 12) { storage = [UInt8](repeating: 0, count: max(64, capacity)) }

  /// The text so far.
  public var bytes: [UInt8] { Array(storage[0..<count]) }

  /// The text so far, borrowed.
  public var span: RawSpan { @_lifetime(borrow self) get { storage.byteSpan.extracting(0..<count) } }

  /// Begins a new text, with the room of the old one.
  public mutating func removeAll() { count = 0 }

  /// Where the next `length` bytes go.
  private mutating func advance(_ length: Int) -> Int {
    let start = count
    count += length
    if count > storage.count { storage.append(contentsOf: repeatElement(0, count: max(storage.count, length))) }
    return start
  }

  /// One character of ASCII.
  public mutating func byte(_ value: UInt8) {
    let start = advance(1)
    storage[start] = value
  }

  /// Text that the program holds.
  public mutating func literal(_ text: StaticString) {
    guard text.hasPointerRepresentation else { return append(text.description) }
    let (start, length) = (advance(text.utf8CodeUnitCount), text.utf8CodeUnitCount)
    unsafe storage.withUnsafeMutableBytes { buffer in
      unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[start..<(start + length)])
        .copyMemory(from: UnsafeRawBufferPointer(start: text.utf8Start, count: length))
    }
  }

  /// Any text.
  public mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { unsafe append(UnsafeRawBufferPointer($0)) }
  }

  /// Bytes that are text already.
  public mutating func append(_ bytes: [UInt8]) { unsafe bytes.withUnsafeBytes { unsafe append($0) } }

  private mutating func append(_ bytes: UnsafeRawBufferPointer) {
    let start = advance(bytes.count)
    unsafe storage.withUnsafeMutableBytes { buffer in
      unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[start..<(start + bytes.count)]).copyMemory(from: bytes)
    }
  }

  /// Two lower-case hexadecimal digits for each byte.
  public mutating func hexadecimal(_ bytes: RawSpan) {
    let start = advance(2 * bytes.byteCount)
    var text = storage.mutableSpan
    var index = 0
    // Most values are longer than four bytes, whose digits fit into one word.
    while index &+ 4 <= bytes.byteCount {
      Self.store(Self.digits(bytes.uint32(at: index)), at: start &+ 2 &* index, in: &text)
      index &+= 4
    }
    while index < bytes.byteCount {
      let byte = bytes.uint8(at: index)
      text[start &+ 2 &* index] = Self.digit(byte &>> 4)
      text[start &+ 2 &* index &+ 1] = Self.digit(byte & 15)
      index &+= 1
    }
  }

  /// Stores eight bytes, the lowest first.
  @inline(__always)
  private static func store(_ bytes: UInt64, at start: Int, in text: inout MutableSpan<UInt8>) {
    var room = unsafe text.mutableBytes
    room.storeBytes(of: bytes.littleEndian, toByteOffset: start, as: UInt64.self)
  }

  /// The digits of four bytes, the first digit lowest.
  @inline(__always)
  private static func digits(_ bytes: UInt32) -> UInt64 {
    // Each byte gets 16 bits, then each half of it 8.
    var spread = UInt64(bytes)
    spread = (spread | spread &<< 16) & 0x0000_FFFF_0000_FFFF
    spread = (spread | spread &<< 8) & 0x00FF_00FF_00FF_00FF
    let halves = (spread &>> 4) & 0x000F_000F_000F_000F | (spread & 0x000F_000F_000F_000F) &<< 8
    // From 10 on, adding 6 reaches 16: these become letters.
    let letters = (halves &+ 0x0606_0606_0606_0606) &>> 4 & 0x0101_0101_0101_0101
    return halves &+ 0x3030_3030_3030_3030 &+ letters &* UInt64(UInt8(ascii: "a") &- UInt8(ascii: "0") &- 10)
  }

  /// `0x` and four hexadecimal digits.
  public mutating func hexadecimal(_ value: UInt16) {
    let start = advance(6)
    var text = storage.mutableSpan
    text[start] = UInt8(ascii: "0")
    text[start &+ 1] = UInt8(ascii: "x")
    for place in 0..<4 { text[start &+ 2 &+ place] = Self.digit(UInt8(truncatingIfNeeded: value &>> UInt16(12 &- 4 &* place)) & 15) }
  }

  @inline(__always)
  private static func digit(_ value: UInt8) -> UInt8 { value &+ (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") &- 10) }

  /// A number in decimal digits.
  public mutating func decimal(_ value: UInt64) {
    var digits = 1
    var power: UInt64 = 10
    while digits < 20, value >= power {
      digits &+= 1
      let (next, overflow) = power.multipliedReportingOverflow(by: 10)
      if overflow { break }
      power = next
    }
    let start = advance(digits)
    var text = storage.mutableSpan
    var rest = value
    for place in (start..<(start &+ digits)).reversed() {
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      text[place] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit)
      rest = quotient
    }
  }

  /// Nanoseconds as milliseconds, with as many decimals as they have.
  public mutating func milliseconds(_ nanoseconds: Int64) {
    if nanoseconds < 0 { byte(UInt8(ascii: "-")) }
    let (whole, fraction) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
    decimal(whole)
    guard fraction > 0 else { return }
    byte(UInt8(ascii: "."))
    var (rest, digits) = (UInt32(truncatingIfNeeded: fraction), 6)
    while rest % 10 == 0 {
      rest /= 10
      digits &-= 1
    }
    let start = advance(digits)
    var text = storage.mutableSpan
    for place in (start..<(start &+ digits)).reversed() {
      text[place] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
  }
}
