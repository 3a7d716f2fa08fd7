import BLEWire
import TestSupport
import Testing

struct StandardValueTests {
  @Test(
    arguments: [
      (0x2902, "0100", "notifications on"), (0x2902, "0200", "indications on"), (0x2902, "0000", "off"),
      (0x2902, "0300", "notifications and indications on"),
      (0x2902, "0400", nil), (0x2902, "01", nil),
      (0x2A19, "57", "87 %"), (0x2A38, "01", "chest"), (0x2A38, "09", nil),
      (0x2A37, "0048", "72 bpm"), (0x2A37, "0448", "72 bpm, no contact"),
      (0x2A37, "19 2c01 0a00 0004 0002", "300 bpm, 10 kJ, RR 1000 500 ms"),
      (0x2A1C, "00 6e0100ff", "36.6 °C"), (0x2A1C, "02 4c0e00fe e907 0b 1e 0c 05 09", "36.60 °C, 2025-11-30 12:05:09"),
      (0x2A1C, "01 ffff7f00", "no value °F"),
      (0x2A35, "04 7800 5000 5d00 4600", "120/80 (93) mmHg, pulse 70"),
      (0x2A18, "02 0500 e907 0b 1e 0c 05 09 5fb0", "no. 5, 2025-11-30 12:05:09, 95 mg/dL"),
      (0x2A18, "06 0500 e907 0b 1e 0c 05 09 37c0", "no. 5, 2025-11-30 12:05:09, 5.5 mmol/L"),
      (0x2A9D, "00 7038", "72.240 kg"), (0x2A9D, "01 7038", "144.48 lb"), (0x2A9D, "00 ffff", "unsuccessful"),
      (0x2A5B, "03 0a000000 0004 0500 0002", "wheel 10 at 1000 ms, crank 5 at 500 ms"), (0x2A5B, "00", "nothing measured"),
      (0x2A63, "2000 fa00 0500 0004", "250 W, crank 5 at 1000 ms"), (0x2A63, "0100 fbff 64", "-5 W, balance 50.0 %"),
      (0x2A53, "04 0003 b4", "3.00 m/s, 180 steps/min, running"),
      (0x2A2B, "e907 0b 1e 0c 05 09 07 00 00", "2025-11-30 12:05:09"), (0x2A0F, "ec 04", "UTC-5:00, daylight saving 60 min"),
      (0x2A0F, "16 00", "UTC+5:30"),
      (0x2A50, "02 6b1d 4602 0001", "USB vendor 0x1d6b, product 0x0246, version 0x0100"),
      (0x2A05, "0100 ffff", "handles 0x0001…0xffff"), (0x2A04, "1800 2800 0000 2a00", "interval 30.00…50.00 ms, latency 0, timeout 420 ms"),
      (0x2A6E, "0cfe", "-5.00 °C"), (0x2A5F, "00 6200 4800", "SpO2 98 %, pulse 72"), (0x2B3A, "01", "Enhanced ATT"),
      (0x2A4E, "01", "report protocol"),
      (0x2A00, "41", nil), (0x2AFF, "41", nil),
    ] as [(UInt16, String, String?)])
  func standardValuesInWords(type: UInt16, value: String, words: String?) {
    #expect(StandardValue.describe(hex(value), type: BluetoothUUID(type)) == words)
  }

  @Test func numbersOfHealthDevices() {
    #expect(MedicalFloat(float: 0xFF00_016E).description == "36.6")
    #expect(MedicalFloat(float: 0xFEFF_FFFF).description == "-0.01")
    #expect(MedicalFloat(float: 0x0200_0005).description == "500")
    #expect(MedicalFloat(float: 0x7F00_0005).description == "5e127")
    #expect(
      [0x007F_FFFE, 0x0080_0002, 0x007F_FFFF, 0x0080_0000, 0x0080_0001].map { MedicalFloat(float: $0) } == [
        .positiveInfinity, .negativeInfinity, .none, .none, .none,
      ])
    #expect(
      [0x07FE, 0x0802, 0x07FF, 0x0800, 0x0801].map { MedicalFloat(short: $0) } == [
        .positiveInfinity, .negativeInfinity, .none, .none, .none,
      ])
    #expect(MedicalFloat(short: 0xF801).description == "-204.7")
    #expect(MedicalFloat(short: 0x8001).description == "0.00000001")
  }

  @Test func everyValueOfEveryLengthIsTaken() {
    var random = SeededGenerator(seed: 3)
    for type in UInt16(0x2900)...0x2B40 {
      for length in 0...20 { _ = StandardValue.describe(random.bytes(length), type: BluetoothUUID(type)) }
    }
  }
}
