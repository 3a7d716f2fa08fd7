import BLEWire

extension Fault {
  /// How a central meets the air.
  public enum Face: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// The central of the recording, which sends what was recorded.
    case recordedCentral
    /// An app on the CoreBluetooth-shaped classes.
    case coreBluetooth
    /// A host stack on the virtual controller.
    case hci
    /// Any central, over a real controller.
    case overTheAir

    /// Its name in a sentence.
    public var description: String {
      switch self {
      case .recordedCentral: "the recorded central"
      case .coreBluetooth: "CoreBluetooth"
      case .hci: "HCI"
      case .overTheAir: "over the air"
      }
    }
  }

  /// Whether it can be made to happen on a face.
  public func isPossible(on face: Face) -> Bool { obstacle(on: face) == nil }

  /// Why it cannot be made to happen on a face; `nil` where it can.
  public func obstacle(on face: Face) -> String? {
    if isOff { return nil }
    return switch face {
    case .recordedCentral: action.obstacleForRecordedCentral
    case .coreBluetooth: nil
    case .hci: action.obstacleOnHCI
    case .overTheAir: action.obstacleOverTheAir
    }
  }
}

extension Fault.Action {
  fileprivate var obstacleForRecordedCentral: String? {
    switch self {
    case .stallCredits: "it sends its commands at their recorded times and asks nobody for room"
    case .rssi: "it neither scans nor reads the signal's strength"
    case .rotateAddress: "it does not scan, so no address is seen"
    case .stopAdvertising: "it does not scan, and has its connections when they were recorded"
    case .powerOff: "it has no adapter that could be switched off"
    default: nil
    }
  }

  fileprivate var obstacleOnHCI: String? {
    switch self {
    case .localDisconnect: "the host ends its links itself; no controller can do it in its place"
    case .powerOff: "the adapter belongs to the host; switch it off there"
    default: nil
    }
  }

  fileprivate var obstacleOverTheAir: String? {
    switch self {
    case .disconnect(let reason) where !Self.sendable.contains(reason):
      "a host may only give its controller the reasons 0x05, 0x13 to 0x15, 0x1a, 0x29 and 0x3b (Core 5.4, Vol 4, Part E, 7.1.6)"
    case .localDisconnect: "the central's host is out of reach"
    case .vanish: "a controller that is to keep silent has to be switched off by hand"
    case .refuseConnection: "the controller answers by itself; stop advertising instead"
    case .delayConnection: "the controller answers by itself"
    case .failEstablishment: "the controllers agree on it among themselves"
    case .drop, .corrupt: "the link layer sends again what does not arrive whole (Core 5.4, Vol 6, Part B, 4.5.9)"
    case .duplicate, .reorder: "the link layer delivers each packet once and in order (Core 5.4, Vol 6, Part B, 4.5.9)"
    case .stallCredits: "the central's controller is out of reach"
    case .rssi: "the strength of the signal is the radio's; move the antennas apart"
    case .powerOff: "the central's adapter is out of reach"
    default: nil
    }
  }

  /// What HCI_Disconnect takes (Core 5.4, Vol 4, Part E, 7.1.6).
  private static let sendable: Set<HCIErrorCode> = [
    .authenticationFailure, .remoteUserTerminatedConnection, .remoteDeviceLowResources, .remoteDevicePowerOff, .unsupportedRemoteFeature,
    .pairingWithUnitKeyNotSupported, .unacceptableConnectionParameters,
  ]
}
