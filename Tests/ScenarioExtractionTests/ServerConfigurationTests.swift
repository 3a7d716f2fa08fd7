import Foundation
import ReplayScenarios
import ScenarioExtraction
import TestSupport
import Testing

/// Exports of nRF Connect tell a device's attributes in order and without handles; the traffic of a bonded phone says where they stand.
struct ServerConfigurationTests {
  /// What nRF Connect would export of a database; `services` chooses.
  static func export(_ database: [Attribute], services: (BluetoothUUID) -> Bool = { _ in true }) -> String {
    var text = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\n<server-configuration description=\"Clone\">\n"
    var (isChosen, isInService, isInCharacteristic) = (false, false, false)
    func close() {
      if isInCharacteristic { text += "  </characteristic>\n" }
      isInCharacteristic = false
    }
    for attribute in database.sorted(by: { $0.handle < $1.handle }) {
      switch attribute.kind {
      case .service(let uuid, _, _):
        close()
        if isInService { text += " </service>\n" }
        isChosen = services(uuid)
        isInService = isChosen
        if isChosen { text += " <service name=\"S &amp; T\" uuid=\"\(uuid)\">\n" }
      case .characteristic(let uuid, let properties, _) where isChosen:
        close()
        isInCharacteristic = true
        text += "  <characteristic name=\"C\" uuid=\"\(uuid)\">\n"
        let names: [(UInt8, String)] = [(2, "READ"), (4, "WRITE_NO_RESPONSE"), (8, "WRITE"), (0x10, "NOTIFY"), (0x20, "INDICATE")]
        for (bit, name) in names where properties & bit != 0 { text += "   <property name=\"\(name)\" requirement=\"MANDATORY\"/>\n" }
      case .descriptor(let uuid) where isChosen:
        text += "   <descriptor name=\"D\" uuid=\"\(uuid)\"><permission name=\"READ\"/></descriptor>\n"
      default: break
      }
    }
    close()
    return text + (isInService ? " </service>\n" : "") + "</server-configuration>\n"
  }

  static func sidecar(_ text: String) throws -> DatabaseSidecar {
    let file = FileManager.default.temporaryDirectory.appending(path: "nrf-\(UUID().uuidString).xml")
    defer { try? FileManager.default.removeItem(at: file) }
    try text.write(to: file, atomically: true, encoding: .utf8)
    var sidecar = try #require(try DatabaseSidecar.read(path: file.path).first)
    sidecar.file = "nrf.xml"
    return sidecar
  }

  private static func bonded(_ name: String) throws -> (extractor: ScenarioExtractor, subject: ScenarioExtractor.Subject, whole: Scenario) {
    let packets = try Container.packets(of: Repository.capture(name))
    let whole = try SidecarTests.extractor(SidecarTests.capture(packets))
    let bonded = try SidecarTests.extractor(SidecarTests.capture(packets.filter { !SidecarTests.isDiscovery($0) }))
    return (bonded, try #require(bonded.subjects.first), whole.scenario(of: try #require(whole.subjects.first)))
  }

  private static func kinds(_ database: [Attribute]) -> [AttributeHandle: Attribute.Kind] {
    Dictionary(database.map { ($0.handle, $0.kind) }) { first, _ in first }
  }

  @Test(arguments: Repository.captureNames)
  func theOrderIsPlacedByTheTraffic(name: String) throws {
    let (extractor, subject, whole) = try Self.bonded(name)
    let sidecar = try Self.sidecar(Self.export(whole.database))
    // An included service takes a handle, and the export does not tell of it: then nothing is certain.
    guard !whole.database.contains(where: { if case .include = $0.kind { true } else { false } }) else {
      #expect(throws: SidecarError.self) { try extractor.scenario(of: subject, sidecar: sidecar) }
      return
    }
    let scenario = try extractor.scenario(of: subject, sidecar: sidecar)
    #expect(Self.kinds(scenario.database) == Self.kinds(whole.database))
    #expect(scenario.playable == whole.playable && scenario.problems() == [])
    // nRF Connect leaves out the services of the stack itself.
    let stack: Set<UInt16> = [0x1800, 0x1801]
    let rest = try Self.sidecar(Self.export(whole.database) { !stack.contains($0.short ?? 0) })
    let other = try extractor.scenario(of: subject, sidecar: rest)
    for (handle, kind) in Self.kinds(other.database) where kind != .unknown { #expect(Self.kinds(whole.database)[handle] == kind) }
    #expect(other.database.count { $0.provenance == .sidecar } > 3)
  }

  @Test func onlyWhatIsCertain() throws {
    let (extractor, subject, whole) = try Self.bonded("heart-strap")
    func error(_ text: String) throws -> String {
      let sidecar = try Self.sidecar(text)
      return #expect(throws: SidecarError.self) { try extractor.scenario(of: subject, sidecar: sidecar) }?.description ?? ""
    }
    // Two services alike: either may be the one that told its values.
    let one =
      "<service uuid=\"180d\"><characteristic uuid=\"2a37\"><property name=\"NOTIFY\"/><descriptor uuid=\"2902\"/></characteristic></service>"
    let twice = try error("<server-configuration>\(one)\(one)</server-configuration>")
    #expect(twice.contains("nrf.xml: tells no handles, and its attributes may begin at 0x0"), "\(twice)")
    let wrong = try error(
      "<server-configuration><service uuid=\"180f\"><characteristic uuid=\"2a19\"><property name=\"READ\"/></characteristic></service></server-configuration>"
    )
    #expect(wrong.contains("nowhere does the order of its attributes fit what a.btsnoop uses"), "\(wrong)")
    _ = whole
  }

  @Test(
    arguments: [
      ("<server-configuration>", ": is no whole XML document"), ("<server-configuration/>", ": holds no service"),
      ("<html><body/></html>", ":1: <html> is no server configuration of nRF Connect"),
      ("<server-configuration><service/></server-configuration>", ":1: <service> has no UUID"),
      ("<server-configuration>\n<service uuid=\"zz\"/></server-configuration>", ":2: <service> has no UUID"),
      ("<server-configuration><characteristic uuid=\"2a37\"/></server-configuration>", ": a characteristic stands outside of a service"),
      (
        "<server-configuration><service uuid=\"180d\"><descriptor uuid=\"2902\"/></service></server-configuration>",
        ": a descriptor stands outside"
      ),
      (
        "<server-configuration><service uuid=\"180d\"><characteristic uuid=\"2a37\"><property name=\"SING\"/></characteristic></service></server-configuration>",
        ": the property \"SING\" is not known"
      ),
    ])
  func refusals(text: String, message: String) throws {
    let error = #expect(throws: SidecarError.self) { try Self.sidecar(text + "\n") }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }

  /// Entities are not followed, neither into files nor into each other.
  @Test func hostileDocuments() throws {
    let secret = FileManager.default.temporaryDirectory.appending(path: "secret-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: secret) }
    try "180d".write(to: secret, atomically: true, encoding: .utf8)
    let outside =
      "<!DOCTYPE a [<!ENTITY x SYSTEM \"file://\(secret.path)\">]><server-configuration><service uuid=\"&x;\"/></server-configuration>"
    #expect(throws: SidecarError.self) { try Self.sidecar(outside) }
    var bomb = "<!DOCTYPE a [<!ENTITY a0 \"180d180d180d180d\">"
    for level in 1...20 { bomb += "<!ENTITY a\(level) \"" + String(repeating: "&a\(level - 1);", count: 10) + "\">" }
    bomb += "]><server-configuration><service uuid=\"180d\">&a20;</service></server-configuration>"
    #expect(throws: SidecarError.self) { try Self.sidecar(bomb) }
    let many = "<server-configuration>" + String(repeating: "<service uuid=\"180d\"></service>", count: 70_000) + "</server-configuration>"
    #expect(throws: SidecarError.self) { try Self.sidecar(many) }
  }
}
