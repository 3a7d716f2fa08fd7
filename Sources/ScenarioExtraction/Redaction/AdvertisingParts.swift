import SessionReconstruction

/// One of several packets that share advertising data too long for one.
struct AdvertisingPart {
  /// Which data it is a part of: the fields of the packet that all parts have in common.
  var key: [UInt8]
  var isFirst: Bool
  var isLast: Bool
}

/// Joins advertising data that came in parts, so that a name is found in it wherever it was cut.
struct AdvertisingParts {
  private struct Key: Hashable {
    var adapter: UInt16
    var fields: [UInt8]
  }
  private struct Open {
    var bytes: [UInt8] = []
    var places: [(record: Int, start: Int, offset: Int)] = []
  }
  private struct Place: Hashable {
    var record: Int
    var start: Int
  }
  private var open: [Key: Open] = [:]
  private var wholes: [[UInt8]] = []
  private var places: [Place: (whole: Int, offset: Int)] = [:]
  /// The longest data that a controller takes, in octets, and how many are kept that were not finished.
  private static let (longest, openLimit) = (1650, 1000)

  /// Takes a part that stands at `start` of a record; gives the whole once it is there.
  mutating func add(_ part: AdvertisingPart, _ bytes: [UInt8], adapter: UInt16, record: Int, start: Int) -> [UInt8]? {
    let key = Key(adapter: adapter, fields: part.key)
    var data = (part.isFirst ? nil : open.removeValue(forKey: key)) ?? Open()
    // What is complete in itself needs no joining.
    if part.isLast, data.bytes.isEmpty { return nil }
    data.places.append((record, start, data.bytes.count))
    data.bytes += bytes
    guard part.isLast || data.bytes.count >= Self.longest else {
      if open.count < Self.openLimit || open[key] != nil { open[key] = data }
      return nil
    }
    open[key] = nil
    for place in data.places { places[Place(record: place.record, start: place.start)] = (wholes.count, place.offset) }
    wholes.append(data.bytes)
    return data.bytes
  }

  /// The data of which a part of `count` octets stands at `start` of a record, and where.
  func whole(_ record: Int, start: Int, count: Int) -> (bytes: [UInt8], part: Range<Int>)? {
    guard let place = places[Place(record: record, start: start)], place.offset + count <= wholes[place.whole].count else { return nil }
    return (wholes[place.whole], place.offset..<(place.offset + count))
  }
}
