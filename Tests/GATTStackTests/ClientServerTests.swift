import BLEWire
@testable import GATTStack
import TestSupport
import Testing

/// A client and a server joined back to back, over databases that a seed makes.
struct ClientServerTests {
  private struct Service {
    var found: GATTClient.FoundService
    var characteristics: [GATTClient.FoundCharacteristic] = []
    var descriptors: [GATTClient.FoundDescriptor] = []
  }

  private static func uuid(_ random: inout SeededGenerator) -> BluetoothUUID {
    Bool.random(using: &random)
      ? BluetoothUUID(UInt16.random(in: 0x2A00...0x2BFF, using: &random))
      : BluetoothUUID(high: UInt64.random(in: .min ... .max, using: &random), low: UInt64.random(in: 1...(.max), using: &random))
  }

  private static func make(_ random: inout SeededGenerator) -> (AttributeDatabase, [Service], [AttributeHandle: [UInt8]]) {
    var (entries, services, values, handle): ([AttributeDatabase.Entry], [Service], [AttributeHandle: [UInt8]], UInt16) = ([], [], [:], 1)
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let start = handle
      let type = uuid(&random)
      var service = Service(found: .init(uuid: type, start: AttributeHandle(start), end: AttributeHandle(start)))
      handle += 1
      for _ in 0..<Int.random(in: 0...5, using: &random) {
        let type = uuid(&random)
        let characteristic = GATTClient.FoundCharacteristic(
          declaration: AttributeHandle(handle), value: AttributeHandle(handle + 1), properties: UInt8.random(in: 0...255, using: &random),
          uuid: type)
        service.characteristics.append(characteristic)
        entries.append(
          .init(
            handle: characteristic.declaration, type: AttributeDatabase.characteristic,
            value: [characteristic.properties, UInt8(truncatingIfNeeded: handle + 1), UInt8((handle + 1) >> 8)] + type.wireBytes))
        let value = random.bytes(Int.random(in: 0...300, using: &random))
        entries.append(.init(handle: characteristic.value, type: type, value: value))
        values[characteristic.value] = value
        handle += 2
        if Bool.random(using: &random) {
          service.descriptors.append(.init(handle: AttributeHandle(handle), uuid: AttributeDatabase.clientConfiguration))
          entries.append(.init(handle: AttributeHandle(handle), type: AttributeDatabase.clientConfiguration, value: [0, 0]))
          handle += 1
        }
      }
      service.found.end = AttributeHandle(handle - 1)
      entries.append(
        .init(
          handle: service.found.start, type: AttributeDatabase.primaryService, value: type.wireBytes, groupEnd: service.found.end))
      services.append(service)
      handle += UInt16.random(in: 0...3, using: &random)
    }
    return (AttributeDatabase(entries), services, values)
  }

  /// Runs one procedure to its end.
  private static func run(
    _ procedure: GATTClient.Procedure, _ client: inout GATTClient, _ server: inout GATTServer, _ written: inout [AttributeHandle: [UInt8]]
  ) -> GATTClient.Result? {
    var outputs = client.start(procedure, id: 1)
    for _ in 0..<2000 {
      guard !outputs.isEmpty else { return nil }
      switch outputs.removeFirst() {
      case .finished(_, let result): return result
      case .received: break
      case .send(let bytes): if let answer = answer(bytes, &server, &written) { outputs += client.receive(answer) }
      }
    }
    return nil
  }

  private static func answer(_ bytes: [UInt8], _ server: inout GATTServer, _ written: inout [AttributeHandle: [UInt8]]) -> [UInt8]? {
    switch server.receive(bytes) {
    case .respond(let pdu): return pdu.bytes
    case .exchangeMTU(let mtu):
      server.agree(client: mtu, server: 517)
      return ATTPDU.exchangeMTUResponse(serverMTU: 517).bytes
    case .value(.read(let handle, let offset, let request)):
      return server.answer(request, handle: handle, value: server.database[handle]?.value ?? [], offset: offset).bytes
    case .value(.write(let handle, let value, _)):
      written[handle] = value
      return ATTPDU.writeResponse.bytes
    case .value(.prepare(let handle, let offset, let part)):
      server.queue(handle, offset: offset, part: part)
      return ATTPDU.prepareWriteResponse(handle: handle, offset: UInt16(offset), part: part).bytes
    case .value(.execute(let values, _)):
      for value in values { written[value.handle] = value.value }
      return ATTPDU.executeWriteResponse.bytes
    default: return nil
    }
  }

  @Test(arguments: [23, 24, 64, 185, 517])
  func theClientFindsWhatTheServerHolds(mtu: Int) {
    for seed in UInt64(1)...60 {
      var random = SeededGenerator(seed: seed)
      let (database, services, values) = Self.make(&random)
      var (client, server, written) = (GATTClient(), GATTServer(database: database), [AttributeHandle: [UInt8]]())
      if mtu > 23 {
        #expect(Self.run(.exchangeMTU(mtu), &client, &server, &written) == .success(.mtu(mtu)))
      }
      #expect(Self.run(.discoverServices(nil), &client, &server, &written) == .success(.services(services.map(\.found))), "seed \(seed)")
      for service in services {
        let same = services.map(\.found).filter { $0.uuid == service.found.uuid }
        #expect(Self.run(.discoverServices(service.found.uuid), &client, &server, &written) == .success(.services(same)), "seed \(seed)")
        let (start, end) = (service.found.start, service.found.end)
        #expect(
          Self.run(.discoverCharacteristics(start: start, end: end), &client, &server, &written)
            == .success(.characteristics(service.characteristics)), "seed \(seed)")
        guard case .success(.descriptors(let all))? = Self.run(.discoverDescriptors(start: start, end: end), &client, &server, &written)
        else {
          Issue.record("descriptors, seed \(seed)")
          continue
        }
        #expect(all.filter { $0.uuid == AttributeDatabase.clientConfiguration } == service.descriptors, "seed \(seed)")
        for characteristic in service.characteristics {
          #expect(
            Self.run(.read(characteristic.value), &client, &server, &written) == .success(.value(values[characteristic.value] ?? [])),
            "seed \(seed)")
          let value = random.bytes(Int.random(in: 0...512, using: &random))
          #expect(Self.run(.write(characteristic.value, value), &client, &server, &written) == .success(.written), "seed \(seed)")
          #expect(written[characteristic.value] == value, "seed \(seed)")
        }
      }
    }
  }

  /// Answers made of random bytes end every procedure; none goes on for ever.
  @Test func hostileAnswersEnd() {
    let procedures: [GATTClient.Procedure] = [
      .exchangeMTU(100), .discoverServices(nil), .discoverServices(BluetoothUUID(0x180F as UInt16)),
      .discoverIncludedServices(start: AttributeHandle(1), end: AttributeHandle(0xFFFF)),
      .discoverCharacteristics(start: AttributeHandle(1), end: AttributeHandle(0xFFFF)),
      .discoverDescriptors(start: AttributeHandle(1), end: AttributeHandle(0xFFFF)), .read(AttributeHandle(3)),
      .write(AttributeHandle(3), Array(repeating: 7, count: 100)),
    ]
    var random = SeededGenerator(seed: 5)
    for _ in 0..<3000 {
      var client = GATTClient()
      var outputs = client.start(procedures[Int.random(in: procedures.indices, using: &random)], id: 1)
      var requests = 0
      while let request = outputs.compactMap({ if case .send(let bytes) = $0 { bytes } else { nil } }).last, requests < 70_000 {
        requests += 1
        let opcode = ATTOpcode(rawValue: request[0])
        var answer = random.bytes(Int.random(in: 0...30, using: &random))
        if Int.random(in: 0..<4, using: &random) > 0, let expected = opcode.expectedResponse { answer.insert(expected.rawValue, at: 0) }
        outputs = client.receive(answer)
        if outputs.isEmpty { outputs = client.disconnect() }
      }
      #expect(requests < 70_000)
    }
  }
}
