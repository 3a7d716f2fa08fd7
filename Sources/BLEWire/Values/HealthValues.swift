import ByteParsing

/// Measurements of the health profiles, in words.
enum HealthValues {
  /// Heart Rate Measurement: `flags(1) rate(1 or 2) energy(2)? interval(2, 1/1024 s)*`
  static func heartRate(_ reader: inout ByteReader) throws(ParseError) -> String {
    let flags = try reader.uint8()
    let rate = flags & 1 == 0 ? Int(try reader.uint8()) : Int(try reader.uint16())
    var words = "\(rate) bpm"
    if flags & 0x06 == 0x04 { words += ", no contact" }
    if flags & 0x08 != 0 { words += ", \(try reader.uint16()) kJ" }
    if flags & 0x10 != 0 {
      var intervals: [String] = []
      while reader.remaining >= 2 { intervals.append("\(Int(try reader.uint16()) * 1000 / 1024)") }
      words += ", RR \(intervals.joined(separator: " ")) ms"
    }
    return words
  }

  /// Temperature Measurement: `flags(1) temperature(4, FLOAT) time(7)? type(1)?`
  static func temperature(_ reader: inout ByteReader) throws(ParseError) -> String {
    let flags = try reader.uint8()
    let words = "\(MedicalFloat(float: try reader.uint32())) °\(flags & 1 == 0 ? "C" : "F")"
    return flags & 2 != 0 ? "\(words), \(try DateValue(&reader))" : words
  }

  /// Blood Pressure Measurement: `flags(1) systolic(2) diastolic(2) mean(2) time(7)? pulse(2)? …`, SFLOATs
  static func bloodPressure(_ reader: inout ByteReader) throws(ParseError) -> String {
    let flags = try reader.uint8()
    let pressures = [try reader.uint16(), try reader.uint16(), try reader.uint16()].map { MedicalFloat(short: $0).description }
    var words = "\(pressures[0])/\(pressures[1]) (\(pressures[2])) \(flags & 1 == 0 ? "mmHg" : "kPa")"
    if flags & 2 != 0 { words += ", \(try DateValue(&reader))" }
    if flags & 4 != 0 { words += ", pulse \(MedicalFloat(short: try reader.uint16()))" }
    return words
  }

  /// Glucose Measurement: `flags(1) sequence(2) time(7) offset(2)? concentration(2, SFLOAT) sample(1)? …`
  static func glucose(_ reader: inout ByteReader) throws(ParseError) -> String {
    let flags = try reader.uint8()
    let sequence = try reader.uint16()
    let time = try DateValue(&reader)
    if flags & 1 != 0 { try reader.skip(2) }
    var words = "no. \(sequence), \(time)"
    if flags & 2 != 0 {
      let value = MedicalFloat(short: try reader.uint16())
      guard case .number(let mantissa, let exponent) = value else { return words + ", \(value)" }
      // Kilograms and moles a litre, which nobody says.
      let scaled = MedicalFloat.number(mantissa: mantissa, exponent: exponent + (flags & 4 == 0 ? 5 : 3))
      words += ", \(scaled) \(flags & 4 == 0 ? "mg/dL" : "mmol/L")"
    }
    return words
  }

  /// Weight Measurement: `flags(1) weight(2) time(7)? user(1)? BMI(2) height(2)?`
  static func weight(_ reader: inout ByteReader) throws(ParseError) -> String {
    let flags = try reader.uint8()
    let raw = Int(try reader.uint16())
    let isMetric = flags & 1 == 0
    var words =
      raw == 0xFFFF
      ? "unsuccessful" : isMetric ? "\(StandardValue.fixed(raw * 5, digits: 3)) kg" : "\(StandardValue.fixed(raw, digits: 2)) lb"
    if flags & 2 != 0 { words += ", \(try DateValue(&reader))" }
    if flags & 4 != 0 { words += ", user \(try reader.uint8())" }
    if flags & 8 != 0 { words += ", BMI \(StandardValue.fixed(Int(try reader.uint16()), digits: 1))" }
    return words
  }

  /// PLX Continuous and Spot-Check Measurement: `flags(1) SpO2(2) pulse(2)`, SFLOATs
  static func oximeter(_ reader: inout ByteReader, isContinuous: Bool) throws(ParseError) -> String {
    try reader.skip(1)
    return "SpO2 \(MedicalFloat(short: try reader.uint16())) %, pulse \(MedicalFloat(short: try reader.uint16()))"
  }
}

/// Measurements of the sport profiles, in words.
enum SportValues {
  /// CSC Measurement: `flags(1) (wheel(4) time(2, 1/1024 s))? (crank(2) time(2))?`
  static func cyclingSpeed(_ reader: inout ByteReader) throws(ParseError) -> String {
    let flags = try reader.uint8()
    var words: [String] = []
    if flags & 1 != 0 { words.append("wheel \(try reader.uint32()) at \(milliseconds(try reader.uint16(), 1024))") }
    if flags & 2 != 0 { words.append("crank \(try reader.uint16()) at \(milliseconds(try reader.uint16(), 1024))") }
    return words.isEmpty ? "nothing measured" : words.joined(separator: ", ")
  }

  /// Cycling Power Measurement: `flags(2) power(2, W) balance(1)? torque(2)? (wheel(4) time(2, 1/2048 s))? (crank(2) time(2))? …`
  static func cyclingPower(_ reader: inout ByteReader) throws(ParseError) -> String {
    let flags = try reader.uint16()
    var words = "\(Int16(bitPattern: try reader.uint16())) W"
    if flags & 1 != 0 { words += ", balance \(StandardValue.fixed(Int(try reader.uint8()) * 5, digits: 1)) %" }
    if flags & 4 != 0 { try reader.skip(2) }
    if flags & 0x10 != 0 { words += ", wheel \(try reader.uint32()) at \(milliseconds(try reader.uint16(), 2048))" }
    if flags & 0x20 != 0 { words += ", crank \(try reader.uint16()) at \(milliseconds(try reader.uint16(), 1024))" }
    return words
  }

  /// RSC Measurement: `flags(1) speed(2, 1/256 m/s) cadence(1) stride(2, cm)? distance(4, dm)?`
  static func running(_ reader: inout ByteReader) throws(ParseError) -> String {
    let flags = try reader.uint8()
    let speed = Int(try reader.uint16()) * 100 / 256
    var words = "\(StandardValue.fixed(speed, digits: 2)) m/s, \(try reader.uint8()) steps/min"
    if flags & 1 != 0 { words += ", stride \(try reader.uint16()) cm" }
    if flags & 2 != 0 { words += ", \(StandardValue.fixed(Int(try reader.uint32()), digits: 1)) m" }
    return words + (flags & 4 != 0 ? ", running" : ", walking")
  }

  private static func milliseconds(_ ticks: UInt16, _ perSecond: Int) -> String { "\(Int(ticks) * 1000 / perSecond) ms" }
}
