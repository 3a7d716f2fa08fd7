import BLEWire
import Foundation
import GATTStack
import ReplayEngine

/// What a phone does for itself on a link: it reads the device's name, and wants to be told of changed services.
///
/// It begins when the first app has looked at the services, so that faults of discovery meet the app's requests first.
extension HostLink {
  struct Introduction {
    var hasBegun = false
    /// The value of Service Changed.
    var serviceChanged: AttributeHandle?
  }

  private static let deviceName = BluetoothUUID(0x2A00 as UInt16)
  private static let genericAttribute = BluetoothUUID(0x1801 as UInt16)

  func introduce(in air: AirCore) {
    guard !introduction.hasBegun else { return }
    introduction.hasBegun = true
    run(.readByType(Self.deviceName), for: nil, in: air) { [weak self] result, air in
      guard let self else { return }
      if case .success(.attribute(let handle, let value)) = result {
        // A name that fills the PDU may be longer.
        if value.count < self.mtu - 4 { self.named(value, in: air) } else { self.readName(at: handle, in: air) }
      }
      self.subscribeToServiceChanged(in: air)
    }
  }

  private func readName(at handle: AttributeHandle, in air: AirCore) {
    run(.read(handle), for: nil, in: air) { [weak self] result, air in
      if case .success(.value(let value)) = result { self?.named(value, in: air) }
    }
  }

  private func named(_ value: [UInt8], in air: AirCore) {
    let name = String(decoding: value, as: UTF8.self)
    guard !name.isEmpty else { return }
    host.learn(name, of: device)
    for use in uses { use.named(name, in: air) }
  }

  // MARK: - Service Changed

  private func subscribeToServiceChanged(in air: AirCore) {
    run(.discoverServices(Self.genericAttribute), for: nil, in: air) { [weak self] result, air in
      guard let self, case .success(.services(let services)) = result, let service = services.first else { return }
      self.run(.discoverCharacteristics(start: service.start, end: service.end), for: nil, in: air) { [weak self] result, air in
        guard let self, case .success(.characteristics(let list)) = result, let value = list.first(where: { $0.uuid.short == 0x2A05 })
        else { return }
        self.introduction.serviceChanged = value.value
        let end = list.map(\.declaration).filter { $0 > value.value }.min().map { AttributeHandle($0.rawValue - 1) } ?? service.end
        guard end > value.value else { return }
        let start = AttributeHandle(value.value.rawValue + 1)
        self.run(.discoverDescriptors(start: start, end: end), for: nil, in: air) { [weak self] result, air in
          guard case .success(.descriptors(let list)) = result, let descriptor = list.first(where: { $0.uuid.short == 0x2902 }) else {
            return
          }
          self?.run(.write(descriptor.handle, [2, 0]), for: nil, in: air) { _, _ in }
        }
      }
    }
  }

  /// The device tells that attributes in a range have changed (Core 5.4, Vol 3, Part G, 7.1).
  func takeServiceChanged(_ handle: AttributeHandle, _ value: [UInt8], in air: AirCore) {
    guard handle == introduction.serviceChanged, value.count == 4 else { return }
    let start = AttributeHandle(UInt16(value[0]) | UInt16(value[1]) << 8)
    let end = AttributeHandle(UInt16(value[2]) | UInt16(value[3]) << 8)
    guard start <= end else { return }
    for use in uses { use.servicesChanged(start...end, in: air) }
    // It may itself stand elsewhere now.
    if start <= handle, handle <= end { subscribeToServiceChanged(in: air) }
  }
}

extension PeripheralLink {
  /// The device's own name is known.
  func named(_ name: String, in air: AirCore) {
    guard let peripheral else { return }
    stack.tell("peripheralDidUpdateName", in: air) { _ in
      guard peripheral.name != name else { return }
      peripheral.guardedName.value = name
      peripheral.delegate?.peripheralDidUpdateName(peripheral)
    }
  }

  /// Services are not what they were; an app that has looked at none has nothing to forget.
  func servicesChanged(_ range: ClosedRange<AttributeHandle>, in air: AirCore) {
    let (services, characteristics) = attributes.invalidate(range)
    guard let peripheral else { return }
    stack.tell("didModifyServices", in: air) { _ in
      guard let known = peripheral.services else { return }
      for characteristic in characteristics { characteristic.guardedIsNotifying.value = false }
      peripheral.guardedServices.value = known.filter { service in !services.contains { $0 === service } }
      peripheral.delegate?.peripheral(peripheral, didModifyServices: services)
    }
  }
}
