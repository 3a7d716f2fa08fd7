import BLEWire
import Foundation
import GATTStack
import ReplayEngine

/// One connection of a central stack: the GATT client, and what is to be told when its procedures end.
final class PeripheralLink: @unchecked Sendable {
  // Only touched inside the air's lock.
  let peripheral: CBPeripheral
  /// The link's number on the air; `nil` while it is being made.
  var number: Int?
  /// Whether the air was asked to connect; a device that is not there any more is waited for.
  var isDialed = false
  /// Whether the peripheral left a request without an answer for 30 s.
  private(set) var hasTimedOut = false
  /// Whether the controller takes no commands, and those that wait for it.
  private var isStalled = false
  private var kept: [ATTPDU] = []
  private static let keptCommands = 16
  private unowned let stack: CentralStack
  private var client: GATTClient
  private var endings: [Int: (procedure: GATTClient.Procedure, call: (GATTClient.Result, AirCore) -> Void)] = [:]
  private var procedureCount = 0
  private var requestCount = 0
  /// Characteristics by the handle of their value, for what the peripheral tells.
  private(set) var characteristics: [AttributeHandle: CBCharacteristic] = [:]

  init(_ peripheral: CBPeripheral, stack: CentralStack, mtu: Int) {
    self.peripheral = peripheral
    client = GATTClient(receiveMTU: mtu)
    self.stack = stack
  }

  /// Runs a procedure; `ending` gets its result, unless the link ends first.
  func run(_ procedure: GATTClient.Procedure, in air: AirCore, _ ending: @escaping (GATTClient.Result, AirCore) -> Void) {
    guard number != nil else { return }
    procedureCount += 1
    endings[procedureCount] = (procedure, ending)
    handle(client.start(procedure, id: procedureCount), in: air)
  }

  /// What was asked for and has not come, in words.
  var waits: [String] {
    let name = peripheral.name.map { "\"\($0)\"" } ?? "\(peripheral.identifier)"
    guard number != nil else { return ["a connection to \(name)"] }
    return endings.sorted { $0.key < $1.key }.map { "\(words($0.value.procedure)) of \(name)" }
  }

  private func words(_ procedure: GATTClient.Procedure) -> String {
    switch procedure {
    case .exchangeMTU: "the ATT MTU"
    case .discoverServices: "the services"
    case .discoverIncludedServices: "the included services"
    case .discoverCharacteristics(let start, _): "the characteristics from \(start) on"
    case .discoverDescriptors(let start, _): "the descriptors from \(start) on"
    case .read(let handle): "the value of \(characteristics[handle]?.uuid.uuidString ?? "\(handle)")"
    case .write(let handle, _): "the answer to a write to \(characteristics[handle]?.uuid.uuidString ?? "\(handle)")"
    }
  }

  func exchangeMTU(in air: AirCore) { run(.exchangeMTU(client.receiveMTU), in: air) { _, _ in } }

  /// Sends a PDU that has no answer; `false` where the controller takes none, and as many as a phone keeps wait already.
  func send(_ pdu: ATTPDU, in air: AirCore) -> Bool {
    guard let number else { return true }
    guard isStalled else {
      air.send(pdu.bytes, on: number)
      return true
    }
    guard kept.count < Self.keptCommands else { return false }
    kept.append(pdu)
    return true
  }

  /// The controller takes commands again, or none any more.
  func setCredits(_ areLeft: Bool, in air: AirCore) {
    isStalled = !areLeft
    peripheral.guardedCredits.value = areLeft
    guard areLeft else { return }
    for pdu in kept { if let number { air.send(pdu.bytes, on: number) } }
    kept = []
    let peripheral = peripheral
    stack.tell("peripheralIsReady", in: air) { _ in peripheral.delegate?.peripheralIsReady(toSendWriteWithoutResponse: peripheral) }
  }

  var mtu: Int { client.mtu }

  func receive(_ bytes: [UInt8], in air: AirCore) { handle(client.receive(bytes), in: air) }

  /// The link is gone; no procedure is told of, as on a phone.
  func end() {
    number = nil
    endings = [:]
    kept = []
    peripheral.guardedCredits.value = true
    _ = client.disconnect()
  }

  func register(_ found: [CBCharacteristic]) { for characteristic in found { characteristics[characteristic.handle] = characteristic } }

  private func handle(_ outputs: [GATTClient.Output], in air: AirCore) {
    peripheral.guardedMTU.value = client.mtu
    for output in outputs {
      switch output {
      case .send(let bytes):
        guard let number else { return }
        if client.isWaiting, bytes.first.map({ ATTOpcode(rawValue: $0).role }) == .request { watchRequest(in: air) }
        air.send(bytes, on: number)
      case .finished(let id, let result): endings.removeValue(forKey: id)?.call(result, air)
      case .received(let handle, let value, _):
        guard let characteristic = characteristics[handle] else { continue }
        let (peripheral, data) = (peripheral, Data(value))
        stack.tell("didUpdateValueFor", in: air) { _ in
          characteristic.value = data
          peripheral.delegate?.peripheral(peripheral, didUpdateValueFor: characteristic, error: nil)
        }
      }
    }
  }

  /// A request that gets no answer in time ends the bearer (Core 5.4, Vol 3, Part F, 3.3.3).
  private func watchRequest(in air: AirCore) {
    requestCount += 1
    let request = requestCount
    stack.after(GATTClient.transactionTimeout, in: air) { [weak self] air in
      guard let self, let number = self.number, self.requestCount == request, self.client.isWaiting else { return }
      self.hasTimedOut = true
      air.disconnect(number)
    }
  }
}
