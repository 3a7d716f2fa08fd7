import CaptureFiles

/// The access addresses that are heard, by the board that hears them.
///
/// Those without a link are bounded: noise makes access addresses that never were. When there are too many, the one that has been
/// silent for longest makes room.
struct AirConnections {
  private struct Key: Hashable {
    let adapter: UInt16
    let accessAddress: AccessAddress
  }
  /// Links that are followed in one capture.
  static let maximumLinks = 4096
  private static let maximumCandidates = 200
  var all: [AirConnection] = []
  private var places: [Key: Int] = [:]
  private var candidates: [Int] = []
  private(set) var links = 0
  private var recent: (key: Key, place: Int)?

  /// Where the address stands; `nil` where nothing was heard of it.
  mutating func find(_ adapter: UInt16, _ accessAddress: AccessAddress) -> Int? {
    let key = Key(adapter: adapter, accessAddress: accessAddress)
    if let recent, recent.key == key { return recent.place }
    guard let place = places[key] else { return nil }
    recent = (key, place)
    return place
  }

  /// Makes a place for a link that begins.
  mutating func open(_ connection: AirConnection) {
    links += 1
    if let place = find(connection.adapter, connection.accessAddress) {
      candidates.removeAll { $0 == place }
      all[place] = connection
    } else {
      _ = insert(connection)
    }
  }

  /// A place for an address that no link is known to have, and the one that had to make room for it.
  mutating func addCandidate(_ connection: AirConnection) -> (place: Int, gone: AirConnection?) {
    guard candidates.count >= Self.maximumCandidates,
      let oldest = candidates.indices.min(by: { all[candidates[$0]].last.frame < all[candidates[$1]].last.frame })
    else {
      let place = insert(connection)
      candidates.append(place)
      return (place, nil)
    }
    let place = candidates[oldest]
    let gone = all[place]
    places[Key(adapter: gone.adapter, accessAddress: gone.accessAddress)] = nil
    places[Key(adapter: connection.adapter, accessAddress: connection.accessAddress)] = place
    all[place] = connection
    recent = nil
    return (place, gone)
  }

  /// A candidate has become a link; `false` where there are too many.
  mutating func promote(_ place: Int) -> Bool {
    guard links < Self.maximumLinks else { return false }
    links += 1
    candidates.removeAll { $0 == place }
    return true
  }

  private mutating func insert(_ connection: AirConnection) -> Int {
    places[Key(adapter: connection.adapter, accessAddress: connection.accessAddress)] = all.count
    all.append(connection)
    return all.count - 1
  }
}
