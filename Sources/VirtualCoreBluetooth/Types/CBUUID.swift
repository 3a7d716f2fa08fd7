import BLEWire
public import Foundation
import ReplayEngine

/// A Bluetooth UUID, as Apple's class: 16, 32 and 128 bits, equal where the full form is.
public final class CBUUID: NSObject, NSCopying, @unchecked Sendable {
  let value: BluetoothUUID

  init(_ value: BluetoothUUID) { self.value = value }

  /// From 4, 8 or 36 characters; for any other text an exception is raised, and the UUID is that of no attribute.
  public init(string theString: String) {
    value = BluetoothUUID(theString) ?? Self.invalid("String \(theString) does not represent a valid UUID")
  }

  /// From 2, 4 or 16 bytes, most significant first; for any other count an exception is raised, and the UUID is that of no attribute.
  public init(data theData: Data) {
    let isRefused = theData.count == 4 && VirtualAir.find()?.phone.conventions.fourByteUUIDs == .refused
    value =
      (isRefused ? nil : BluetoothUUID(wire: [UInt8](theData.reversed()).byteSpan))
      ?? Self.invalid("Data \(theData as NSData) does not represent a valid UUID")
  }

  /// From Foundation's UUID.
  public init(nsuuid theUUID: UUID) {
    value = BluetoothUUID(theUUID.uuidString) ?? Self.none
  }

  private static func invalid(_ reason: String) -> BluetoothUUID {
    RaisedException.internalInconsistency(reason)
    return none
  }
  private static let none = BluetoothUUID(high: 0, low: 0)

  /// The bytes, most significant first, in the UUID's own width.
  public var data: Data { Data(value.wireBytes.reversed()) }

  /// Upper-case text in the UUID's own width.
  public var uuidString: String { value.description }

  public func copy(with zone: NSZone? = nil) -> Any { self }
  public override func isEqual(_ object: Any?) -> Bool { (object as? CBUUID)?.value == value }
  public override var hash: Int { value.hashValue }
  /// The name that Bluetooth SIG assigned, where the UUID has one, else its text.
  public override var description: String { value.width == .bits128 ? uuidString : value.assignedName ?? uuidString }
}
