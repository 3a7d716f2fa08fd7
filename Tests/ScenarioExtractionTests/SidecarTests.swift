import CaptureFiles
import Foundation
import ReplayScenarios
import ScenarioExtraction
import TestSupport
import Testing

/// Bonded phones do not discover again; another file of the same device tells what they knew.
struct SidecarTests {
  /// Opcodes of discovery requests and responses; errors name the request.
  static let discovery: Set<UInt8> = [0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x10, 0x11]

  static func isDiscovery(_ packet: Container.Packet) -> Bool {
    guard packet.type == .aclData, packet.bytes.count > 8, packet.bytes[6] == 4, packet.bytes[7] == 0 else { return false }
    let opcode = packet.bytes[8]
    return discovery.contains(opcode) || opcode == 1 && packet.bytes.count > 9 && discovery.contains(packet.bytes[9])
  }

  static func capture(_ packets: [Container.Packet]) -> [UInt8] {
    var writer = BtsnoopWriter()
    for packet in packets {
      writer.append(
        packet.bytes, type: packet.type, direction: packet.isReceived ? .controllerToHost : .hostToController, time: packet.time)
    }
    return writer.bytes
  }

  static func extractor(_ bytes: [UInt8], file: String = "a.btsnoop") throws -> ScenarioExtractor {
    ScenarioExtractor(try CaptureRecording(bytes: bytes, file: file))
  }

  /// A scenario without what tells where its attributes came from, without discovery, and with its names counted anew.
  static func normalised(_ scenario: Scenario) -> Scenario {
    var scenario = scenario
    for index in scenario.database.indices { scenario.database[index].provenance = .hand }
    scenario.device.advertising?.provenance = .discovered
    for session in scenario.sessions.indices {
      var names: [String: String] = [:]
      scenario.sessions[session].entries.removeAll { entry in
        guard case .pdu(let bytes) = entry.action, let opcode = bytes.first else { return false }
        return discovery.contains(opcode)
      }
      for entry in scenario.sessions[session].entries.indices {
        if let id = scenario.sessions[session].entries[entry].id {
          names[id] = "n\(entry)"
          scenario.sessions[session].entries[entry].id = names[id]
        }
        switch scenario.sessions[session].entries[entry].anchor?.cause {
        case .entry(let id)?: scenario.sessions[session].entries[entry].anchor?.cause = .entry(names[id] ?? id)
        case .request(let id)?: scenario.sessions[session].entries[entry].anchor?.cause = .request(names[id] ?? id)
        default: break
        }
      }
    }
    return scenario
  }

  @Test(arguments: Repository.captureNames)
  func withASidecarTheScenarioIsThatOfTheWholeCapture(name: String) throws {
    let packets = try Container.packets(of: Repository.capture(name))
    let whole = try Self.extractor(Self.capture(packets))
    let bonded = try Self.extractor(Self.capture(packets.filter { !Self.isDiscovery($0) }))
    for (subject, full) in zip(bonded.subjects, whole.subjects) {
      let expected = whole.scenario(of: full)
      let alone = bonded.scenario(of: subject)
      #expect(alone.database.allSatisfy { $0.provenance != .discovered || $0.content != nil })
      if case .any = alone.playable { Issue.record("plays to any central without a database") }
      // From a capture, and from a scenario that was written.
      let file = FileManager.default.temporaryDirectory.appending(path: "sidecar-\(UUID().uuidString).json5")
      defer { try? FileManager.default.removeItem(at: file) }
      try expected.write(to: file.path)
      for path in [Repository.capture(name), file.path] {
        let sidecar = try bonded.sidecar(for: subject, among: try DatabaseSidecar.read(path: path))
        let scenario = try bonded.scenario(of: subject, sidecar: sidecar)
        #expect(Self.normalised(scenario) == Self.normalised(expected))
        #expect(scenario.playable == expected.playable)
        #expect(scenario.database.contains { $0.provenance == .sidecar })
      }
    }
  }

  @Test func aConflictNamesTheHandleAndBothFiles() throws {
    let packets = try Container.packets(of: Repository.capture("heart-strap"))
    let extractor = try Self.extractor(Self.capture(packets))
    let subject = try #require(extractor.subjects.first)
    var sidecar = try #require(DatabaseSidecar.read(path: Repository.root.appending(path: "scenarios/heart-strap.json5").path).first)
    #expect(throws: Never.self) { try extractor.scenario(of: subject, sidecar: sidecar) }
    let index = try #require(sidecar.attributes.firstIndex { $0.handle == AttributeHandle(0x0B) })
    sidecar.attributes[index].kind = .characteristic(uuid: BluetoothUUID(0x2A19 as UInt16), properties: 0x10, value: AttributeHandle(0x0C))
    let error = #expect(throws: SidecarError.self) { try extractor.scenario(of: subject, sidecar: sidecar) }
    let text = try #require(error?.description)
    #expect(
      text.hasPrefix(
        "handle 0x000b is characteristic 2A37 with its value at 0x000c in a.btsnoop and characteristic 2A19 with its value at 0x000c in "))
    #expect(text.hasSuffix("heart-strap.json5; give a file of the same device with the same firmware"))
  }

  @Test func whoseSidecarItIs() throws {
    let extractor = try Self.extractor(Self.capture(try Container.packets(of: Repository.capture("heart-strap"))))
    let subject = try #require(extractor.subjects.first)
    func sidecar(_ address: String?, _ kind: BluetoothAddress.Kind = .random) -> DatabaseSidecar {
      DatabaseSidecar(file: "s", address: address.flatMap { BluetoothAddress($0, kind: kind) }, attributes: [])
    }
    let own = try #require(subject.address?.description)
    #expect(try extractor.sidecar(for: subject, among: [sidecar("C0:00:00:00:00:01"), sidecar(own)]).address?.description == own)
    #expect(try extractor.sidecar(for: subject, among: [sidecar(nil)]).address == nil)
    // A resolvable address says nothing.
    #expect(
      try extractor.sidecar(for: subject, among: [sidecar("7A:00:00:00:00:01"), sidecar("C0:00:00:00:00:01")]).address?.description
        == "7A:00:00:00:00:01")
    let other = #expect(throws: SidecarError.self) { try extractor.sidecar(for: subject, among: [sidecar("C0:00:00:00:00:01")]) }
    #expect(other?.description == "s: is of C0:00:00:00:00:01, not of \(own); give a file of the same device")
    let several = #expect(throws: SidecarError.self) { try extractor.sidecar(for: subject, among: [sidecar(nil), sidecar(nil)]) }
    #expect(several?.description.contains("tells of several devices") == true)
  }
}
