public import CaptureFiles

/// What was heard of one advertiser.
public struct Advertiser: Sendable, Hashable {
  public var address: BluetoothAddress
  /// The last advertising data, and the last scan response.
  public var data: [UInt8] = []
  public var scanResponse: [UInt8]?
  public var isConnectable = false
  public var reports = 0
  /// The strength of the last report that told one, in dBm; 127 where none did.
  public var rssi: Int8 = 127
  /// Times of the first and of the last report.
  public var first: CaptureTime
  public var last: CaptureTime
  /// Parts of an extended advertisement whose last part is still to come.
  private var parts: [UInt8] = []

  /// Nothing heard yet but the address.
  init(address: BluetoothAddress, first: CaptureTime, last: CaptureTime) { (self.address, self.first, self.last) = (address, first, last) }

  /// The name in the data or the scan response.
  public var name: String? {
    AdvertisingData(parsing: data).localName ?? scanResponse.flatMap { AdvertisingData(parsing: $0).localName }
  }
}

/// Advertisers by address; the number that is kept is bounded, for addresses in a hostile capture are not.
struct AdvertiserTable {
  static let limit = 20_000
  private(set) var advertisers: [BluetoothAddress: Advertiser] = [:]

  mutating func add(_ report: AdvertisingReport, data: RawSpan, time: CaptureTime) {
    if advertisers[report.address] == nil {
      guard advertisers.count < Self.limit else { return }
      advertisers[report.address] = Advertiser(address: report.address, first: time, last: time)
    }
    advertisers[report.address]?.add(report, data: data, time: time)
  }
}

extension Advertiser {
  fileprivate mutating func add(_ report: AdvertisingReport, data new: RawSpan, time: CaptureTime) {
    reports += 1
    last = time
    if report.rssi != 127 { rssi = report.rssi }
    if report.kind.contains(.moreToCome) {
      // No advertisement has more than 1,650 bytes (Core 5.4, Vol 6, Part B, 2.3.4.9).
      if parts.count + new.byteCount <= 1650 { parts.append(contentsOf: new) }
      return
    }
    if !parts.isEmpty {
      parts.append(contentsOf: new)
      if report.kind.contains(.scanResponse) { scanResponse = parts } else { data = parts }
      parts = []
      if !report.kind.contains(.scanResponse) { isConnectable = report.kind.contains(.connectable) }
      return
    }
    if report.kind.contains(.scanResponse) {
      if scanResponse.map({ !$0.byteSpan.isEqual(to: new) }) ?? true { scanResponse = new.array }
    } else {
      isConnectable = report.kind.contains(.connectable)
      if !data.byteSpan.isEqual(to: new) { data = new.array }
    }
  }
}

extension RawSpan {
  fileprivate func isEqual(to other: RawSpan) -> Bool {
    guard byteCount == other.byteCount else { return false }
    for index in 0..<byteCount where uint8(at: index) != other.uint8(at: index) { return false }
    return true
  }
}
