import CoreBluetooth
import ReplayTesting
import XCTest

/// Centrals that do otherwise than the recorded one.
final class OtherCentralTests: ReplayTestCase {
  override func makeAir() throws -> VirtualAir { VirtualAir(scenarios: [try HeartFromCaptureTests.scenario("heart-strap")], seed: 3) }

  func testAnotherOrderAndMTUPass() throws {
    for mtu in [23, 185, 517] {
      let air = try makeAir()
      air.centralMTU = mtu
      try VirtualAir.$current.withValue(air) {
        let app = BackwardsCentral()
        try air.run(until: app.values["2A37"]?.count == 12)
        XCTAssertEqual(app.errors.count, 0)
        XCTAssertEqual(app.values["2A29"], [Data("Understudy Works".utf8), Data("Understudy Works".utf8)])
        XCTAssertEqual(app.values["2A38"], [Data([1])])
        XCTAssertEqual(app.values["5A0E0003-7C43-4D1B-9E0F-3B1D6E8A2C70"]?.count, 2)
        XCTAssertEqual(app.written, 1)
        XCTAssertEqual(app.descriptors["2A37"], ["2902"])
        XCTAssertEqual(app.descriptors["2A38"], [])
        let verdict = air.verdict
        XCTAssertTrue(verdict.passed, "\(verdict)")
        XCTAssertEqual(verdict.sessions[0].consumed, verdict.sessions[0].counted)
        XCTAssertEqual(verdict.notes, [])
        app.hangUp()
        try air.run(until: app.isDisconnected)
        XCTAssertEqual(app.errors.count, 0)
      }
    }
  }

  func testSameSeedSameLog() throws {
    var logs: Set<String> = []
    for _ in 0..<20 {
      let air = try makeAir()
      try VirtualAir.$current.withValue(air) {
        let app = BackwardsCentral()
        try air.run(until: app.values["2A37"]?.count == 12)
      }
      logs.insert(air.log.text)
    }
    XCTAssertEqual(logs.count, 1)
  }

  func testTwoAppsInTwoAirs() throws {
    let other = try makeAir()
    let first = BackwardsCentral()
    let second = VirtualAir.$current.withValue(other) { BackwardsCentral() }
    try air.run(until: first.values["2A37"]?.count == 3)
    XCTAssertEqual(second.values.count, 0)
    XCTAssertEqual(other.log.lines.count, 0)
    try other.run(until: second.values["2A37"]?.count == 3)
  }

  func testNoAirIsUnsupported() throws {
    let central = VirtualAir.$current.withValue(nil) { CBCentralManager(delegate: nil, queue: nil) }
    XCTAssertEqual(central.state, .unsupported)
  }

  func testIdleAirSaysSo() throws {
    let app = BackwardsCentral()
    XCTAssertThrowsError(try air.run(until: app.written == 99)) { error in
      XCTAssertTrue("\(error)".contains("the air is idle at"), "\(error)")
    }
  }

  func testCallsBelowPoweredOnAreMisuse() throws {
    let central = CBCentralManager(delegate: nil, queue: nil)
    central.scanForPeripherals(withServices: nil)
    XCTAssertFalse(central.isScanning)
    XCTAssertEqual(air.verdict.misuse.count, 1)
    XCTAssertTrue(air.verdict.passed)
    air.failOn = .misuse
    XCTAssertFalse(air.verdict.passed)
  }

  func testLongValues() throws {
    let scenario = try HeartFromCaptureTests.scenario("thermo-logger")
    let air = VirtualAir(scenarios: [scenario])
    air.centralMTU = 100
    try VirtualAir.$current.withValue(air) {
      let app = NoteCentral()
      try air.run(until: app.isDone)
      XCTAssertEqual(app.first?.count, 230)
      XCTAssertEqual(app.errors, [CBATTError.Code.readNotPermitted.rawValue])
    }
  }
}

extension OtherCentralTests {
  /// A request that gets no answer ends the link after the transaction timeout of 30 s, with an error of its own.
  func testARequestWithoutAnAnswer() throws {
    var scenario = try HeartFromCaptureTests.scenario("heart-strap")
    for index in scenario.sessions[0].entries.indices where scenario.sessions[0].entries[index].action == .read(AttributeHandle(0x18)) {
      scenario.sessions[0].entries[index].answer = TimelineEntry.Answer.none
    }
    let air = VirtualAir(scenarios: [scenario])
    try VirtualAir.$current.withValue(air) {
      let app = BackwardsCentral()
      try air.run(until: app.isDisconnected)
      XCTAssertEqual((app.errors.first as? CBError)?.code, .unknown)
      XCTAssertGreaterThan(air.now, AirInstant.start.advanced(by: .seconds(30)))
      XCTAssertEqual(app.values["2A29"], nil)
    }
  }
}

/// Reads and writes the thermometer's long note, and its key that may not be read.
private final class NoteCentral: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
  private var central: CBCentralManager?
  private var logger: CBPeripheral?
  private(set) var first: Data?
  private(set) var errors: [Int] = []
  private(set) var isDone = false

  override init() {
    super.init()
    central = CBCentralManager(delegate: self, queue: nil)
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    logger = central.retrievePeripherals(withIdentifiers: [UUID()]).first
    central.scanForPeripherals(withServices: [CBUUID(string: "1809")])
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any], rssi RSSI: NSNumber
  ) {
    guard logger == nil else { return }
    logger = peripheral
    peripheral.delegate = self
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { peripheral.discoverServices(nil) }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    for service in peripheral.services ?? [] where service.uuid.data.count == 16 { peripheral.discoverCharacteristics(nil, for: service) }
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
    for characteristic in service.characteristics ?? [] where !characteristic.properties.isDisjoint(with: [.read, .write]) {
      peripheral.readValue(for: characteristic)
    }
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    if let error = error as? CBATTError {
      errors.append(error.errorCode)
    } else if let value = characteristic.value, value.count > 100, first == nil {
      first = value
      peripheral.writeValue(Data(value.reversed()), for: characteristic, type: .withResponse)
    }
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?) { isDone = true }
}
