/// Whether Bluetooth can be used.
public enum CBManagerState: Int, Sendable { case unknown = 0, resetting, unsupported, unauthorized, poweredOff, poweredOn }

/// The name of ``CBManagerState`` from iOS 5 to 9.
public typealias CBCentralManagerState = CBManagerState

/// Whether the app may use Bluetooth.
public enum CBManagerAuthorization: Int, Sendable { case notDetermined = 0, restricted, denied, allowedAlways }

/// Where a connection stands.
public enum CBPeripheralState: Int, Sendable { case disconnected = 0, connecting, connected, disconnecting }

/// Whether a write is answered.
public enum CBCharacteristicWriteType: Int, Sendable { case withResponse = 0, withoutResponse }

/// What happened to a peripheral that connection events were registered for.
public enum CBConnectionEvent: Int, Sendable { case peerDisconnected = 0, peerConnected }

/// Which peripherals connection events are wanted of.
public struct CBConnectionEventMatchingOption: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  /// Wraps a key.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// Those with one of these services: `[CBUUID]`.
  public static let serviceUUIDs = CBConnectionEventMatchingOption(rawValue: "kCBConnectionEventMatchingOptionServiceUUIDs")
  /// Those with one of these identifiers: `[UUID]`.
  public static let peripheralUUIDs = CBConnectionEventMatchingOption(rawValue: "kCBConnectionEventMatchingOptionPeripheralUUIDs")
}

extension CBCentralManager {
  /// What a phone's hardware may be able to do.
  public struct Feature: OptionSet, Sendable, Hashable {
    public let rawValue: UInt
    /// Wraps bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Extended scanning and connecting (Bluetooth 5).
    public static let extendedScanAndConnect = Feature(rawValue: 0x01)
  }
}

/// A Protocol/Service Multiplexer: which of a peripheral's protocols an L2CAP channel is for.
public typealias CBL2CAPPSM = UInt16

/// What a characteristic can do.
public struct CBCharacteristicProperties: OptionSet, Sendable, Hashable {
  public let rawValue: UInt
  /// Wraps bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static let broadcast = CBCharacteristicProperties(rawValue: 0x01)
  public static let read = CBCharacteristicProperties(rawValue: 0x02)
  public static let writeWithoutResponse = CBCharacteristicProperties(rawValue: 0x04)
  public static let write = CBCharacteristicProperties(rawValue: 0x08)
  public static let notify = CBCharacteristicProperties(rawValue: 0x10)
  public static let indicate = CBCharacteristicProperties(rawValue: 0x20)
  public static let authenticatedSignedWrites = CBCharacteristicProperties(rawValue: 0x40)
  public static let extendedProperties = CBCharacteristicProperties(rawValue: 0x80)
  public static let notifyEncryptionRequired = CBCharacteristicProperties(rawValue: 0x100)
  public static let indicateEncryptionRequired = CBCharacteristicProperties(rawValue: 0x200)
}
