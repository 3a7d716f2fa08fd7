import ByteParsing

/// What a standard characteristic's or descriptor's value says, in words.
///
/// Source: the Bluetooth SIG's GATT Specification Supplement.
public enum StandardValue {
  /// The words; `nil` where the type is not known or the bytes are not as the type wants them.
  public static func describe(_ value: [UInt8], type: BluetoothUUID) -> String? {
    guard let short = type.short else { return nil }
    var reader = ByteReader(value.byteSpan, layer: .att)
    return try? words(short, &reader)
  }

  private static func words(_ type: UInt16, _ reader: inout ByteReader) throws(ParseError) -> String? {
    switch type {
    case 0x2902: return configuration(try reader.uint16())
    case 0x2A01: return "appearance \(try reader.uint16())"
    case 0x2A04: return try preferredParameters(&reader)
    case 0x2A05: return "handles \(hexadecimal(try reader.uint16()))…\(hexadecimal(try reader.uint16()))"
    case 0x2A19: return "\(try reader.uint8()) %"
    case 0x2A38: return name(try reader.uint8(), ["other", "chest", "wrist", "finger", "hand", "ear lobe", "foot"])
    case 0x2A1D:
      return name(
        try reader.uint8(), ["", "armpit", "body", "ear", "finger", "gastro-intestinal tract", "mouth", "rectum", "toe", "ear drum"])
    case 0x2A4E: return name(try reader.uint8(), ["boot protocol", "report protocol"])
    case 0x2A50: return try productID(&reader)
    case 0x2A37: return try HealthValues.heartRate(&reader)
    case 0x2A1C, 0x2A1E: return try HealthValues.temperature(&reader)
    case 0x2A35, 0x2A36: return try HealthValues.bloodPressure(&reader)
    case 0x2A18: return try HealthValues.glucose(&reader)
    case 0x2A9D: return try HealthValues.weight(&reader)
    case 0x2A5F, 0x2A5E: return try HealthValues.oximeter(&reader, isContinuous: type == 0x2A5F)
    case 0x2A5B: return try SportValues.cyclingSpeed(&reader)
    case 0x2A63: return try SportValues.cyclingPower(&reader)
    case 0x2A53: return try SportValues.running(&reader)
    case 0x2A2B: return try DateValue(&reader).description
    case 0x2A08: return try DateValue(&reader).description
    case 0x2A0F: return try localTime(&reader)
    case 0x2A6E: return fixed(Int(Int16(bitPattern: try reader.uint16())), digits: 2) + " °C"
    case 0x2A6F: return fixed(Int(try reader.uint16()), digits: 2) + " %"
    case 0x2A6D: return fixed(Int(try reader.uint32()), digits: 1) + " Pa"
    case 0x2B3A: return (try reader.uint8()) & 1 == 1 ? "Enhanced ATT" : "no Enhanced ATT"
    default: return nil
    }
  }

  private static func configuration(_ value: UInt16) -> String? {
    switch value {
    case 0: "off"
    case 1: "notifications on"
    case 2: "indications on"
    case 3: "notifications and indications on"
    default: nil
    }
  }

  private static func name(_ value: UInt8, _ names: [String]) -> String? {
    Int(value) < names.count && !names[Int(value)].isEmpty ? names[Int(value)] : nil
  }

  private static func preferredParameters(_ reader: inout ByteReader) throws(ParseError) -> String {
    let (least, most) = (Int(try reader.uint16()) * 125, Int(try reader.uint16()) * 125)
    return
      "interval \(fixed(least, digits: 2))…\(fixed(most, digits: 2)) ms, latency \(try reader.uint16()), timeout \(Int(try reader.uint16()) * 10) ms"
  }

  private static func productID(_ reader: inout ByteReader) throws(ParseError) -> String {
    let source = name(try reader.uint8(), ["", "Bluetooth", "USB"]) ?? "unknown"
    return
      "\(source) vendor \(hexadecimal(try reader.uint16())), product \(hexadecimal(try reader.uint16())), version \(hexadecimal(try reader.uint16()))"
  }

  private static func localTime(_ reader: inout ByteReader) throws(ParseError) -> String {
    let zone = Int(Int8(bitPattern: try reader.uint8())) * 15
    let saving = Int(try reader.uint8()) * 15
    let minutes = String(abs(zone) % 60)
    return "UTC\(zone < 0 ? "-" : "+")\(abs(zone) / 60):\(minutes.count < 2 ? "0" : "")\(minutes)"
      + (saving > 0 ? ", daylight saving \(saving) min" : "")
  }

  /// A whole number of the last decimal places.
  static func fixed(_ value: Int, digits: Int) -> String { MedicalFloat.number(mantissa: value, exponent: -digits).description }
}

/// `year(2) month(1) day(1) hour(1) minute(1) second(1)`, as many characteristics have it; 0 is "not known".
struct DateValue: CustomStringConvertible {
  let description: String

  init(_ reader: inout ByteReader) throws(ParseError) {
    let year = Int(try reader.uint16())
    var fields: [Int] = []
    for _ in 0..<5 { fields.append(Int(try reader.uint8())) }
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    description = "\(year)-\(two(fields[0]))-\(two(fields[1])) \(two(fields[2])):\(two(fields[3])):\(two(fields[4]))"
  }
}
