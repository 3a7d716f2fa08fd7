import ByteParsing
import SessionReconstruction

/// Prints one ATT PDU a line, as `understudy inspect --att` does.
final class ATTListing: ATTObserver {
  private let console: Console
  /// Names by opcode, made once.
  private let names: [[UInt8]] = (0...255).map { Array(ATTOpcode(rawValue: UInt8($0)).description.utf8) }

  /// What stands before the first line; it waits until the capture proves readable.
  private var heading: String

  init(console: Console, heading: String = "") { (self.console, self.heading) = (console, heading) }

  /// The capture was read to its end.
  func finish() {
    if !heading.isEmpty { console.print(heading) }
    heading = ""
  }

  func observe(_ event: ATTEvent, pdu: RawSpan) {
    guard !console.isClosed else { return }
    if !heading.isEmpty { finish() }
    console.write { line in
      line.appendDecimal(event.frame)
      line.append(0x09)
      line.append(event.recordedTime)
      line.append(0x09)
      line.appendDecimal(event.link)
      line.append(0x09)
      switch event.connection {
      case .handle(let handle): line.appendHexadecimal(handle.rawValue)
      case .air(let address): line += address.description.utf8
      }
      line.append(0x09)
      line.append(event.sender == .central ? UInt8(ascii: ">") : UInt8(ascii: "<"))
      line.append(0x09)
      Hexadecimal.append(pdu, to: &line)
      line.append(0x09)
      if pdu.byteCount > 0 { line += names[Int(pdu.uint8(at: 0))] }
      line.append(0x09)
      if let attribute = event.attribute { line.appendHexadecimal(attribute.rawValue) }
      line.append(0x0A)
    }
  }
}

extension [UInt8] {
  /// Adds a number in decimal, with zeros before it up to `width` digits.
  mutating func appendDecimal(_ value: Int, width: Int = 1) {
    if value < 0 { append(UInt8(ascii: "-")) }
    var rest = value.magnitude
    let start = count
    var (power, digits) = (UInt(10), 1)
    while digits < width || (digits < 19 && rest >= power) {
      power *= 10
      digits += 1
    }
    append(contentsOf: repeatElement(UInt8(ascii: "0"), count: digits))
    var span = mutableSpan
    for index in (start..<(start + digits)).reversed() {
      span[index] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
    }
  }

  /// Adds `0x` and four digits.
  mutating func appendHexadecimal(_ value: UInt16) {
    append(UInt8(ascii: "0"))
    append(UInt8(ascii: "x"))
    for shift in [12, 8, 4, 0] as [UInt16] {
      let digit = UInt8(value >> shift & 15)
      append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
  }

  /// Adds epoch seconds with nine decimals, as ``CaptureTime/description`` has them.
  mutating func append(_ time: CaptureTime) {
    guard time.seconds >= 0 else {
      self += time.description.utf8
      return
    }
    appendDecimal(Int(time.seconds))
    append(UInt8(ascii: "."))
    appendDecimal(Int(time.nanoseconds), width: 9)
  }
}
