import BLEWire
public import Foundation

/// A Bluetooth UUID, as Apple's class: 16, 32 and 128 bits, equal where the full form is.
public final class CBUUID: NSObject, NSCopying, @unchecked Sendable {
  let value: BluetoothUUID

  init(_ value: BluetoothUUID) { self.value = value }

  /// From 4, 8 or 36 characters; any other text stops the program, as Apple's class raises an exception.
  public init(string theString: String) {
    guard let value = BluetoothUUID(theString) else { fatalError("String \(theString) does not represent a valid UUID") }
    self.value = value
  }

  /// From 2, 4 or 16 bytes, most significant first; any other count stops the program, as Apple's class raises an exception.
  public init(data theData: Data) {
    guard [2, 4, 16].contains(theData.count), let value = BluetoothUUID(wire: [UInt8](theData.reversed()).byteSpan) else {
      fatalError("Data \(theData as NSData) does not represent a valid UUID")
    }
    self.value = value
  }

  /// From Foundation's UUID.
  public convenience init(nsuuid theUUID: UUID) { self.init(string: theUUID.uuidString) }

  /// The bytes, most significant first, in the UUID's own width.
  public var data: Data { Data(value.wireBytes.reversed()) }

  /// Upper-case text in the UUID's own width.
  public var uuidString: String { value.description }

  public func copy(with zone: NSZone? = nil) -> Any { self }
  public override func isEqual(_ object: Any?) -> Bool { (object as? CBUUID)?.value == value }
  public override var hash: Int { value.hashValue }
  public override var description: String { uuidString }
}
