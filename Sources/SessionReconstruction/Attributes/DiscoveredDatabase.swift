public import CaptureFiles
import ByteParsing

/// What discovery told of one server's attributes.
///
/// Source of the procedures: Core 5.4, Vol 3, Part G, 4.4 to 4.7.
public struct DiscoveredDatabase: Sendable, Equatable {
  /// One attribute's declaration.
  public enum Declaration: Sendable, Equatable {
    case service(uuid: BluetoothUUID, primary: Bool, end: AttributeHandle)
    case include(uuid: BluetoothUUID?, start: AttributeHandle, end: AttributeHandle)
    case characteristic(uuid: BluetoothUUID, properties: UInt8, value: AttributeHandle)
    /// Any other attribute whose type was told.
    case typed(BluetoothUUID)
  }

  /// Declarations by handle.
  public private(set) var declarations: [AttributeHandle: Declaration] = [:]
  /// Handles at which two discoveries told different things; the later one stands.
  public private(set) var conflicts: [AttributeHandle] = []
  /// Handles of characteristic values, which their declarations name.
  private var valueHandles: Set<AttributeHandle> = []
  /// The value of Service Changed, where its declaration is known.
  private(set) var serviceChanged: AttributeHandle?
  /// Includes whose UUID has not been read, by the handle of the included service.
  private var unnamedIncludes: [AttributeHandle: Set<AttributeHandle>] = [:]

  /// An empty database.
  public init() {}

  /// Declarations in handle order.
  public var sorted: [(handle: AttributeHandle, declaration: Declaration)] {
    declarations.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Whether nothing was discovered.
  public var isEmpty: Bool { declarations.isEmpty }

  /// Adds all that another link of the same server showed.
  public mutating func merge(_ other: DiscoveredDatabase) {
    for (handle, declaration) in other.sorted { add(declaration, at: handle) }
  }

  mutating func add(_ declaration: Declaration, at handle: AttributeHandle) {
    guard let known = declarations[handle] else { return set(declaration, at: handle, replacing: nil) }
    guard known != declaration else { return }
    if !Self.agree(known, declaration), conflicts.count < FindingLog.limit { conflicts.append(handle) }
    switch (known, declaration) {
    case (.include(let old, let start, let end), .include(nil, let newStart, let newEnd)) where start == newStart && end == newEnd:
      set(.include(uuid: old, start: start, end: end), at: handle, replacing: known)
    // What is declared there is known already.
    case (.service, .typed(let type)), (.include, .typed(let type)), (.characteristic, .typed(let type)):
      if !Self.declarationTypes.contains(type) { set(declaration, at: handle, replacing: known) }
    default: set(declaration, at: handle, replacing: known)
    }
  }

  private mutating func set(_ declaration: Declaration, at handle: AttributeHandle, replacing old: Declaration?) {
    switch old {
    case .characteristic(_, _, let value)?: valueHandles.remove(value)
    case .include(nil, let start, _)?:
      unnamedIncludes[start]?.remove(handle)
      if unnamedIncludes[start]?.isEmpty ?? false { unnamedIncludes[start] = nil }
    default: break
    }
    switch declaration {
    case .characteristic(let uuid, _, let value):
      valueHandles.insert(value)
      if uuid.short == 0x2A05 { serviceChanged = value }
      // Find Information over everything tells the types of values before their declarations are read.
      if case .typed? = declarations[value] { declarations[value] = nil }
    case .include(nil, let start, _): unnamedIncludes[start, default: []].insert(handle)
    default: break
    }
    declarations[handle] = declaration
  }

  static let primaryService = BluetoothUUID(0x2800 as UInt16)
  static let secondaryService = BluetoothUUID(0x2801 as UInt16)
  static let include = BluetoothUUID(0x2802 as UInt16)
  static let characteristic = BluetoothUUID(0x2803 as UInt16)
  /// The types of the four declarations.
  public static let declarationTypes: Set<BluetoothUUID> = [primaryService, secondaryService, include, characteristic]

  /// The same without the declarations at some handles.
  func removing(_ range: ClosedRange<AttributeHandle>) -> DiscoveredDatabase {
    var rest = DiscoveredDatabase()
    for (handle, declaration) in sorted where !range.contains(handle) { rest.add(declaration, at: handle) }
    return rest
  }

  /// Whether what another discovery found in a range shows that these are other attributes: something contradicts, or services are gone.
  func isReplaced(by later: DiscoveredDatabase, in range: ClosedRange<AttributeHandle>) -> Bool {
    let (old, new) = (declarations.filter { range.contains($0.key) }, later.declarations.filter { range.contains($0.key) })
    guard !new.isEmpty else { return false }
    if new.contains(where: { handle, declaration in old[handle].map { !Self.agree($0, declaration) } ?? false }) { return true }
    func services(_ declarations: [AttributeHandle: Declaration]) -> Set<AttributeHandle> {
      Set(declarations.compactMap { if case .service = $0.value { $0.key } else { nil } })
    }
    return !services(new).isEmpty && services(new) != services(old)
  }

  /// Whether two declarations at one handle can both be true.
  public static func agree(_ first: Declaration, _ second: Declaration) -> Bool {
    switch (first, second) {
    case (.include(let old, let start, let end), .include(let new, let newStart, let newEnd)):
      start == newStart && end == newEnd && (old == nil || new == nil || old == new)
    case (.typed(let type), .typed(let other)): type == other
    case (.typed(let type), _), (_, .typed(let type)): declarationTypes.contains(type)
    default: first == second
    }
  }

  /// Whether nothing here contradicts another link's discovery of the same server.
  public func agrees(with other: DiscoveredDatabase) -> Bool {
    !contradicts(other) && !other.contradicts(self)
  }

  private func contradicts(_ other: DiscoveredDatabase) -> Bool {
    other.declarations.contains { handle, declaration in
      if let known = declarations[handle] { return !Self.agree(known, declaration) }
      if case .typed = declaration { return false }
      return isValue(handle)
    }
  }

  /// Learns from a response what its request asked for.
  mutating func learn(from response: borrowing ATTPDUView, to request: ATTTransactions.Request) {
    switch response {
    case .readByGroupTypeResponse(var list):
      guard request.type == Self.primaryService || request.type == Self.secondaryService else { return }
      let primary = request.type == Self.primaryService
      while list.next({ start, end, value in
        if let uuid = BluetoothUUID(wire: value) { add(.service(uuid: uuid, primary: primary, end: end), at: start) }
      }) {}
    case .findByTypeValueResponse(var list):
      guard request.type == Self.primaryService, let uuid = request.wanted else { return }
      while let range = list.next() { add(.service(uuid: uuid, primary: true, end: range.groupEnd), at: range.found) }
    case .readByTypeResponse(var list):
      while list.next({ handle, value in learn(handle, value, type: request.type) }) {}
    case .findInformationResponse(var list):
      while let (handle, uuid) = list.next() {
        if !isValue(handle) { add(.typed(uuid), at: handle) }
      }
    case .readResponse(let value):
      // The UUID of an included 128-bit service is read from its declaration (4.5.1).
      guard let handle = request.attribute, let includes = unnamedIncludes[handle], let uuid = BluetoothUUID(wire: value) else { return }
      for include in includes {
        guard case .include(nil, let start, let end)? = declarations[include] else { continue }
        set(.include(uuid: uuid, start: start, end: end), at: include, replacing: declarations[include])
      }
    default: break
    }
  }

  private mutating func learn(_ handle: AttributeHandle, _ value: RawSpan, type: BluetoothUUID?) {
    guard let type else { return }
    if type == Self.characteristic {
      guard value.byteCount >= 5, let uuid = BluetoothUUID(wire: value.suffix(from: 3)) else { return }
      add(.characteristic(uuid: uuid, properties: value.uint8(at: 0), value: AttributeHandle(value.uint16(at: 1))), at: handle)
    } else if type == Self.include {
      guard value.byteCount >= 4 else { return }
      let range = (AttributeHandle(value.uint16(at: 0)), AttributeHandle(value.uint16(at: 2)))
      add(.include(uuid: BluetoothUUID(wire: value.suffix(from: 4)), start: range.0, end: range.1), at: handle)
    } else if !isValue(handle) {
      add(.typed(type), at: handle)
    }
  }

  /// Whether the handle is the value of a characteristic whose declaration is known.
  private func isValue(_ handle: AttributeHandle) -> Bool { valueHandles.contains(handle) }
}
