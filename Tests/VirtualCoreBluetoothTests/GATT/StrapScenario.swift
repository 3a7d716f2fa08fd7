import CoreBluetooth
import Foundation
import ReplayTesting
import XCTest

/// A device by hand with every kind of attribute, and apps that have looked at all of it.
enum StrapScenario {
  static let long = (0..<300).map { UInt8(truncatingIfNeeded: $0) }

  private static let database = """
    { handle: 1, service: "1800", end: 3 },
    { handle: 2, characteristic: "2A00", value: 3, properties: ["read"], content: "537472617020486f6d65" },
    { handle: 4, service: "1801", end: 7 },
    { handle: 5, characteristic: "2A05", value: 6, properties: ["indicate"] },
    { handle: 7, descriptor: "2902" },
    { handle: 0x10, service: "180D", end: 0x2f },
    { handle: 0x11, include: "180F", start: 0x30, end: 0x32 },
    { handle: 0x12, include: "FFA0", start: 0x40, end: 0x42 },
    { handle: 0x13, characteristic: "2A37", value: 0x14, properties: ["notify"] },
    { handle: 0x15, descriptor: "2902", content: "0000" },
    { handle: 0x16, descriptor: "2901", content: "50756c7365" },
    { handle: 0x17, descriptor: "2904", content: "0400ad2701000000" },
    { handle: 0x18, descriptor: "2900", content: "0100" },
    { handle: 0x19, characteristic: "2A38", value: 0x1a, properties: ["read"], content: "01" },
    { handle: 0x1b, characteristic: "2A39", value: 0x1c, properties: ["write", "writeWithoutResponse"] },
    { handle: 0x1d, characteristic: "FFE1", value: 0x1e, properties: ["notify", "indicate"] },
    { handle: 0x1f, descriptor: "2902" },
    { handle: 0x20, characteristic: "FFE2", value: 0x21, properties: ["notify"] },
    { handle: 0x22, characteristic: "FFE3", value: 0x23, properties: ["read", "write"], content: "\(hex(long))" },
    { handle: 0x24, characteristic: "FFE4", value: 0x25, properties: ["indicate"] },
    { handle: 0x26, descriptor: "2902" },
    { handle: 0x30, service: "180F", end: 0x32 },
    { handle: 0x31, characteristic: "2A19", value: 0x32, properties: ["read"], content: "64" },
    { handle: 0x40, service: "FFA0", end: 0x42, secondary: true },
    { handle: 0x41, characteristic: "FFA1", value: 0x42, properties: ["read"], content: "aa" },
    """

  static func make(_ entries: String = "", further: String = "", bonded: Bool = false) throws -> Scenario {
    try Scenario(
      reading: """
        { format: "understudy/1", match: "stateful",
          device: { name: "Strap", mtu: 527, advertising: { data: "020106", scanResponse: "06095374726170", interval: 100, rssi: -50 } },
          database: [ \(database) ], \(further)
          sessions: [ { bonded: \(bonded), entries: [ \(entries) ] } ] }
        """)
  }

  static func hex(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02x", $0) }.joined() }
}

/// A test with an app that is connected and has discovered all.
class StrapTestCase: ReplayTestCase {
  override func makeAir() throws -> VirtualAir { VirtualAir(scenarios: [try StrapScenario.make()]) }

  func connectedApp(_ air: VirtualAir? = nil) throws -> (PlainCentral, CBPeripheral) {
    let air = air ?? self.air
    let app = PlainCentral()
    try air.run(until: app.calls.contains("discovered"))
    air.advance(by: .milliseconds(1))
    return (app, try XCTUnwrap(app.peripheral))
  }

  /// The calls that come of something.
  func calls(_ app: PlainCentral, _ air: VirtualAir? = nil, after body: () throws -> Void) rethrows -> [String] {
    let before = app.calls.count
    try body()
    (air ?? self.air).advance(by: .seconds(1))
    return Array(app.calls.dropFirst(before))
  }

  /// The central's PDUs that come of something, in hexadecimal.
  func requests(_ air: VirtualAir? = nil, after body: () throws -> Void) rethrows -> [String] {
    let air = air ?? self.air
    let before = air.log.lines.count
    try body()
    air.advance(by: .seconds(1))
    return air.log.lines.dropFirst(before).compactMap { line in
      if case .pdu(true, let bytes, _) = line.event { StrapScenario.hex(bytes) } else { nil }
    }
  }
}
