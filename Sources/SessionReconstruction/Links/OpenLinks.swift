import CaptureFiles

/// Where the links that are up stand in the list of all, by adapter and connection handle.
///
/// Packets of a few links interleave, so the links met last stand in a small table before the dictionaries.
struct OpenLinks {
  private struct Recent {
    var adapter: UInt16 = 0
    var handle: UInt16 = 0
    var index = -1
  }
  private static let slots = 64
  private var adapters: [UInt16: [ConnectionHandle: Int]] = [:]
  private var recent = [Recent](repeating: Recent(), count: slots)

  private static func slot(_ handle: ConnectionHandle) -> Int { Int(handle.rawValue) & (slots - 1) }

  mutating func find(_ adapter: UInt16, _ handle: ConnectionHandle) -> Int? {
    let slot = Self.slot(handle)
    let entry = recent[slot]
    if entry.index >= 0, entry.handle == handle.rawValue, entry.adapter == adapter { return entry.index }
    guard let index = adapters[adapter]?[handle] else { return nil }
    recent[slot] = Recent(adapter: adapter, handle: handle.rawValue, index: index)
    return index
  }

  mutating func insert(_ index: Int, _ adapter: UInt16, _ handle: ConnectionHandle) {
    adapters[adapter, default: [:]][handle] = index
    recent[Self.slot(handle)] = Recent(adapter: adapter, handle: handle.rawValue, index: index)
  }

  mutating func remove(_ adapter: UInt16, _ handle: ConnectionHandle) {
    adapters[adapter]?[handle] = nil
    let slot = Self.slot(handle)
    if recent[slot].handle == handle.rawValue, recent[slot].adapter == adapter { recent[slot].index = -1 }
  }

  /// The links of one adapter in the order of connection.
  func all(adapter: UInt16) -> [Int] { adapters[adapter].map { $0.values.sorted() } ?? [] }
}
