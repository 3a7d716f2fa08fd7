import BLEWire
@testable import GATTStack
import TestSupport
import Testing

/// A client and a server in one process, over random databases.
struct ClientServerTests {
  private struct Truth {
    var entries: [AttributeDatabase.Entry] = []
    var services: [GATTClient.FoundService] = []
    var includes: [GATTClient.FoundInclude] = []
    var characteristics: [GATTClient.FoundCharacteristic] = []
    var descriptors: [GATTClient.FoundDescriptor] = []
  }

  private static func uuid(_ random: inout SeededGenerator) -> BluetoothUUID {
    Bool.random(using: &random)
      ? BluetoothUUID(UInt16.random(in: 0x2A00...0x2AFF, using: &random))
      : BluetoothUUID(high: random.next(), low: random.next())
  }

  private static func truth(_ random: inout SeededGenerator) -> Truth {
    var truth = Truth()
    var handle = UInt16.random(in: 1...5, using: &random)
    func take(_ random: inout SeededGenerator) -> AttributeHandle {
      defer { handle += UInt16.random(in: 1...3, using: &random) }
      return AttributeHandle(handle)
    }
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      let start = take(&random)
      let uuid = uuid(&random)
      var end = start
      var inside: [AttributeDatabase.Entry] = []
      for _ in 0..<Int.random(in: 0...2, using: &random) where !truth.services.isEmpty {
        guard let target = truth.services.randomElement(using: &random) else { continue }
        end = take(&random)
        var value: [UInt8] = [target.start.rawValue, target.end.rawValue].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        if target.uuid.width == .bits16 { value += target.uuid.wireBytes }
        inside.append(.init(handle: end, type: AttributeDatabase.include, value: value))
        truth.includes.append(.init(handle: end, start: target.start, end: target.end, uuid: target.uuid))
      }
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        let declaration = take(&random)
        let (value, type, properties) = (take(&random), Self.uuid(&random), UInt8.random(in: 0...255, using: &random))
        inside.append(
          .init(
            handle: declaration, type: AttributeDatabase.characteristic,
            value: [properties, UInt8(value.rawValue & 0xFF), UInt8(value.rawValue >> 8)] + type.wireBytes))
        inside.append(.init(handle: value, type: type, value: random.bytes(Int.random(in: 0...100, using: &random))))
        truth.characteristics.append(.init(declaration: declaration, value: value, properties: properties, uuid: type))
        end = value
        for _ in 0..<Int.random(in: 0...2, using: &random) {
          end = take(&random)
          let type = BluetoothUUID(UInt16.random(in: 0x2900...0x2904, using: &random))
          inside.append(.init(handle: end, type: type))
        }
      }
      truth.entries.append(.init(handle: start, type: AttributeDatabase.primaryService, value: uuid.wireBytes, groupEnd: end))
      truth.entries += inside
      truth.services.append(.init(uuid: uuid, start: start, end: end))
    }
    truth.descriptors = truth.entries.compactMap { entry in entry.type.map { .init(handle: entry.handle, uuid: $0) } }
    return truth
  }

  /// Runs one procedure to its end, the server's answers computed.
  private static func run(_ procedure: GATTClient.Procedure, _ client: inout GATTClient, _ server: inout GATTServer) -> GATTClient.Result? {
    var outputs = client.start(procedure, id: 1)
    for _ in 0..<5000 {
      switch outputs.first {
      case .finished(_, let result)?: return result
      case .send(let bytes)?:
        let answer: ATTPDU
        switch server.receive(bytes) {
        case .respond(let pdu): answer = pdu
        case .exchangeMTU(let mtu):
          answer = .exchangeMTUResponse(serverMTU: 300)
          server.agree(client: mtu, server: 300)
        case .value(.read(let handle, let offset, let request)):
          answer = server.answer(request, handle: handle, value: server.database[handle]?.value ?? [], offset: offset)
        case .value(.write(let handle, let value, _)):
          server.database.setValue(value, at: handle)
          answer = .writeResponse
        case .value(.prepare(let handle, let offset, let part)):
          server.queue(handle, offset: offset, part: part)
          answer = .prepareWriteResponse(handle: handle, offset: UInt16(offset), part: part)
        case .value(.execute(let values, _)):
          for value in values { server.database.setValue(value.value, at: value.handle) }
          answer = .executeWriteResponse
        default: return nil
        }
        outputs = client.receive(answer.bytes)
      default: return nil
      }
    }
    return nil
  }

  @Test(arguments: [23, 24, 27, 40, 65, 185, 300, 517])
  func theClientFindsWhatTheDatabaseHolds(mtu: Int) {
    var random = SeededGenerator(seed: UInt64(mtu))
    for round in 0..<40 {
      let truth = Self.truth(&random)
      var server = GATTServer(database: AttributeDatabase(truth.entries))
      var client = GATTClient()
      #expect(Self.run(.exchangeMTU(mtu), &client, &server) == .success(.mtu(min(mtu, 300))))
      #expect(Self.run(.discoverServices(nil), &client, &server) == .success(.services(truth.services)), "round \(round)")
      let (start, end) = (AttributeHandle(1), AttributeHandle(0xFFFF))
      #expect(Self.run(.discoverIncludedServices(start: start, end: end), &client, &server) == .success(.includes(truth.includes)))
      #expect(
        Self.run(.discoverCharacteristics(start: start, end: end), &client, &server) == .success(.characteristics(truth.characteristics)))
      #expect(Self.run(.discoverDescriptors(start: start, end: end), &client, &server) == .success(.descriptors(truth.descriptors)))
      for service in truth.services.prefix(3) {
        let same = truth.services.filter { $0.uuid == service.uuid }
        #expect(Self.run(.discoverServices(service.uuid), &client, &server) == .success(.services(same)))
      }
      for found in truth.characteristics {
        let value = server.database[found.value]?.value ?? []
        #expect(Self.run(.read(found.value), &client, &server) == .success(.value(value)))
        let new = random.bytes(Int.random(in: 0...200, using: &random))
        #expect(Self.run(.write(found.value, new), &client, &server) == .success(.written))
        #expect(server.database[found.value]?.value == new)
      }
    }
  }
}
