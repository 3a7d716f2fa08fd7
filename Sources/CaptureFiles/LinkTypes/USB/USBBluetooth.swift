import ByteParsing

/// Finds Bluetooth controllers among the devices of a USB capture and turns their transfers into HCI packets.
///
/// A device is a controller when its descriptor says so, or from its first transfer that can be nothing but an HCI packet.
/// Commands are control transfers, events come on endpoint 0x81, ACL data on 0x02 and 0x82. Memory is bounded by
/// ``deviceLimit`` devices. Source: Core 5.4, Vol 4, Part B, 2.
package struct USBBluetooth {
  /// What became of a transfer.
  package enum Outcome: Sendable, Hashable {
    /// It was, or completed, an HCI packet.
    case packet
    /// It is a part of a packet whose rest is to come.
    case part
    /// It is a controller's, and brings no HCI packet: the side without data, or another request.
    case nothing
    /// It is a controller's audio, which is not read.
    case synchronous
    /// It is of a device that is not known to be a controller.
    case otherDevice
    /// A packet was there whose bytes the capture did not keep.
    case missingData
  }

  /// How many devices are told apart; transfers of more are counted as other devices'.
  package static let deviceLimit = 256

  private var indices: [UInt32: Int] = [:]
  private var devices: [USBController] = []
  private var adapters: UInt16 = 0
  private var counts: [Outcome: Int] = [:]

  /// No device seen yet.
  package init() {}

  /// How many transfers had an outcome.
  package func count(of outcome: Outcome) -> Int { counts[outcome, default: 0] }

  /// How many packets were given up because a transfer of theirs is missing.
  package var droppedPackets: Int { devices.reduce(0) { $0 + $1.dropped } }

  /// Takes a transfer and hands the HCI packet that it completes, if it does, to `body`.
  package mutating func add(
    _ transfer: borrowing USBTransfer, _ body: (borrowing USBPacket) throws -> Void
  ) rethrows -> Outcome {
    var outcome = Outcome.otherDevice
    if let index = index(bus: transfer.bus, device: transfer.device) {
      outcome = try devices[index].add(transfer, adapters: &adapters, body)
    }
    counts[outcome, default: 0] += 1
    return outcome
  }

  private mutating func index(bus: UInt16, device: UInt16) -> Int? {
    let key = UInt32(bus) << 16 | UInt32(device)
    if let index = indices[key] { return index }
    guard devices.count < Self.deviceLimit else { return nil }
    indices[key] = devices.count
    devices.append(USBController())
    return devices.count - 1
  }
}
