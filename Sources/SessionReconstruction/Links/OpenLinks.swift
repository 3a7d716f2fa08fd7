import CaptureFiles

/// The links that are up, by adapter and connection handle.
///
/// Packets of a few links interleave, so the links met last stand in a small table before the dictionaries.
struct OpenLinks {
  private static let slots = 64
  private var adapters: [UInt16: [ConnectionHandle: LinkState]] = [:]
  private var recent = [LinkState?](repeating: nil, count: slots)

  private static func slot(_ handle: ConnectionHandle) -> Int { Int(handle.rawValue) & (slots - 1) }

  mutating func find(_ adapter: UInt16, _ handle: ConnectionHandle) -> LinkState? {
    let slot = Self.slot(handle)
    if let state = recent[slot], state.handle == handle, state.adapter == adapter { return state }
    guard let state = adapters[adapter]?[handle] else { return nil }
    recent[slot] = state
    return state
  }

  mutating func insert(_ state: LinkState) {
    adapters[state.adapter, default: [:]][state.handle] = state
    recent[Self.slot(state.handle)] = state
  }

  mutating func remove(_ state: LinkState) {
    adapters[state.adapter]?[state.handle] = nil
    let slot = Self.slot(state.handle)
    if recent[slot] === state { recent[slot] = nil }
  }

  /// The links of one adapter in the order of connection.
  func all(adapter: UInt16) -> [LinkState] {
    adapters[adapter].map { $0.values.sorted { $0.link.index < $1.link.index } } ?? []
  }
}
