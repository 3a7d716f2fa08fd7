import CoreBluetooth
import Foundation
import ReplayTesting
import XCTest

/// `CBUUID` (6.10).
final class UUIDTests: ReplayTestCase {
  private let base = "0000-1000-8000-00805F9B34FB"

  /// "16-/32-bit values are implicitly on the Bluetooth Base UUID";
  /// "Equality of a 16-bit UUID and its full 128-bit base form is true … Hash must agree"; "equality across widths assumed alike".
  func testEqualityIsOfTheFullForm() {
    let forms = ["180F", "0000180F", "0000180F-\(base)"].map { CBUUID(string: $0) }
    for one in forms {
      for other in forms {
        XCTAssertEqual(one, other)
        XCTAssertEqual(one.hash, other.hash)
      }
    }
    XCTAssertEqual(Set(forms).count, 1)
    // "16-bit 0x1234 ≠ full form of 0x12345678".
    XCTAssertNotEqual(CBUUID(string: "1234"), CBUUID(string: "12345678-\(base)"))
    XCTAssertEqual(CBUUID(string: "12345678"), CBUUID(string: "12345678-\(base)"))
    XCTAssertNotEqual(CBUUID(string: "180F"), CBUUID(string: "180E"))
    XCTAssertFalse(CBUUID(string: "180F").isEqual("180F"))
  }

  /// "uuidString keeps the width: 2 bytes "180F", 4 bytes "133F180F", 16 bytes full even if on the base";
  /// "uuidString upper-case; `init(string:)` takes 4, 8 or 36 characters".
  func testTextKeepsTheWidth() throws {
    XCTAssertEqual(CBUUID(data: Data([0x18, 0x0F])).uuidString, "180F")
    XCTAssertEqual(CBUUID(data: Data([0x13, 0x3F, 0x18, 0x0F])).uuidString, "133F180F")
    XCTAssertEqual(CBUUID(string: "0000180f-\(base.lowercased())").uuidString, "0000180F-\(base)")
    XCTAssertEqual(CBUUID(string: "180f").data, Data([0x18, 0x0F]))
    XCTAssertEqual(CBUUID(string: "133f180f").data, Data([0x13, 0x3F, 0x18, 0x0F]))
    let uuid = try XCTUnwrap(UUID(uuidString: "5A0E0001-7C43-4D1B-9E0F-3B1D6E8A2C70"))
    XCTAssertEqual(CBUUID(nsuuid: uuid).uuidString, uuid.uuidString)
    XCTAssertEqual(CBUUID(nsuuid: uuid).data.count, 16)
    XCTAssertEqual((CBUUID(string: "180F").copy() as? CBUUID)?.uuidString, "180F")
  }

  /// "description gives SIG names for known ids ("Heart Rate")".
  func testDescriptionsAreAssignedNames() {
    XCTAssertEqual(CBUUID(string: "180D").description, "Heart Rate")
    XCTAssertEqual(CBUUID(string: "2A37").description, "Heart Rate Measurement")
    XCTAssertEqual("\(CBUUID(string: "2902"))", "Client Characteristic Configuration")
    XCTAssertEqual(CBUUID(string: "FFE1").description, "FFE1")
    XCTAssertEqual(CBUUID(string: "5A0E0001-7C43-4D1B-9E0F-3B1D6E8A2C70").description, "5A0E0001-7C43-4D1B-9E0F-3B1D6E8A2C70")
  }

  /// "`init(string:)` takes 4, 8 or 36 characters, any other input raises ("… does not represent a valid UUID")".
  func testWrongTextRaises() {
    for (number, text) in ["", "18", "180", "180G", "180F ", " 80F", "0x180F", "180F180", "0000180F-0000-1000-8000-00805F9B34F", "{0000}"]
      .enumerated()
    {
      _ = CBUUID(string: text)
      XCTAssertEqual(air.verdict.failures.count, number + 1, text)
      XCTAssertEqual(
        air.verdict.failures.last, "EXCEPTION: NSInternalInconsistencyException: String \(text) does not represent a valid UUID")
    }
    _ = CBUUID(data: Data([1, 2, 3]))
    XCTAssertTrue(air.verdict.failures.last?.hasSuffix("does not represent a valid UUID") ?? false)
    XCTAssertTrue(air.verdict.failures.last?.contains("Data") ?? false)
  }

  /// "32-bit forms: an old macOS raised on 4-byte data; current OS accepts 4 bytes. CONFLICT by OS age — accept".
  func testFourBytesMayBeRefused() {
    _ = CBUUID(data: Data([1, 2, 3, 4]))
    XCTAssertTrue(air.verdict.passed)
    air.phone.conventions.fourByteUUIDs = .refused
    _ = CBUUID(data: Data([1, 2, 3, 4]))
    XCTAssertEqual(air.verdict.failures.count, 1)
    XCTAssertEqual(CBUUID(string: "01020304").uuidString, "01020304")
  }
}
