package import BLEWire

/// A server's attributes in handle order, and the answers to the discovery requests over them.
///
/// Source: Core 5.4, Vol 3, Part F, 3.4.3 and 3.4.4; Part G, 3.
package struct AttributeDatabase: Sendable {
  /// One attribute as the air shows it.
  package struct Entry: Sendable, Hashable {
    package var handle: AttributeHandle
    /// `nil` where the type is not known: discovery then passes over the attribute.
    package var type: BluetoothUUID?
    /// The value; for a declaration, its declared bytes.
    package var value: [UInt8]
    /// The last handle of a service declaration's group.
    package var groupEnd: AttributeHandle?
    package var readError: ATTErrorCode?
    package var writeError: ATTErrorCode?

    package init(
      handle: AttributeHandle, type: BluetoothUUID?, value: [UInt8] = [], groupEnd: AttributeHandle? = nil, readError: ATTErrorCode? = nil,
      writeError: ATTErrorCode? = nil
    ) {
      self.handle = handle
      self.type = type
      self.value = value
      self.groupEnd = groupEnd
      self.readError = readError
      self.writeError = writeError
    }
  }

  /// No attribute's value has more bytes (Core 5.4, Vol 3, Part F, 3.2.9).
  package static let longestValue = 512

  package static let primaryService = BluetoothUUID(0x2800 as UInt16)
  package static let secondaryService = BluetoothUUID(0x2801 as UInt16)
  package static let include = BluetoothUUID(0x2802 as UInt16)
  package static let characteristic = BluetoothUUID(0x2803 as UInt16)
  package static let clientConfiguration = BluetoothUUID(0x2902 as UInt16)

  package private(set) var entries: [Entry]
  private var index = HandleTable<Int>()

  /// Sorts the entries by handle; of two with one handle the later stands.
  package init(_ entries: [Entry] = []) {
    var byHandle: [AttributeHandle: Entry] = [:]
    for entry in entries { byHandle[entry.handle] = entry }
    self.entries = byHandle.values.sorted { $0.handle < $1.handle }
    for (position, entry) in self.entries.enumerated() { index[entry.handle] = position }
  }

  package subscript(handle: AttributeHandle) -> Entry? { index[handle].map { entries[$0] } }

  /// Sets the value of an attribute that exists.
  package mutating func setValue(_ value: [UInt8], at handle: AttributeHandle) {
    if let position = index[handle] { entries[position].value = value }
  }

  private func inRange(_ start: AttributeHandle, _ end: AttributeHandle) -> ArraySlice<Entry> {
    let first = position { $0 >= start }
    return entries[first..<max(first, position { $0 > end })]
  }

  /// The place of the first entry whose handle is as wanted, where all behind it are; a discovery asks this for each of its requests.
  private func position(where isWanted: (AttributeHandle) -> Bool) -> Int {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if isWanted(entries[middle].handle) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// Answers a discovery request within `mtu`; `nil` for a PDU that is none.
  package func answer(_ request: ATTPDU, mtu: Int) -> ATTPDU? {
    switch request {
    case .findInformationRequest(let start, let end):
      return checked(request, start, end) { findInformation(start, end, mtu: mtu) }
    case .findByTypeValueRequest(let start, let end, let type, let value):
      return checked(request, start, end) { findByTypeValue(start, end, type, value, mtu: mtu) }
    case .readByTypeRequest(let start, let end, let type):
      return checked(request, start, end) { readByType(start, end, type, mtu: mtu) }
    case .readByGroupTypeRequest(let start, let end, let type):
      return checked(request, start, end) { readByGroupType(start, end, type, mtu: mtu) }
    default: return nil
    }
  }

  private func checked(_ request: ATTPDU, _ start: AttributeHandle, _ end: AttributeHandle, _ body: () -> ATTPDU) -> ATTPDU {
    guard start.rawValue != 0, start <= end else { return .errorResponse(request: request.opcode, handle: start, error: .invalidHandle) }
    return body()
  }

  private func findInformation(_ start: AttributeHandle, _ end: AttributeHandle, mtu: Int) -> ATTPDU {
    var list: [ATTPDU.HandleUUID] = []
    var room = mtu - 2
    for entry in inRange(start, end) {
      guard let type = entry.type?.shortened else { continue }
      if let width = list.first?.uuid.width, width != type.width { break }
      room -= 2 + Int(type.width.rawValue)
      if room < 0 { break }
      list.append(.init(handle: entry.handle, uuid: type))
    }
    return list.isEmpty
      ? .errorResponse(request: .findInformationRequest, handle: start, error: .attributeNotFound) : .findInformationResponse(list)
  }

  private func findByTypeValue(
    _ start: AttributeHandle, _ end: AttributeHandle, _ type: BluetoothUUID, _ value: [UInt8], mtu: Int
  ) -> ATTPDU {
    let found = inRange(start, end).lazy.filter { $0.type == type && $0.value == value }.prefix(max(0, (mtu - 1) / 4))
      .map { ATTPDU.HandleRange(found: $0.handle, groupEnd: $0.groupEnd ?? $0.handle) }
    return found.isEmpty
      ? .errorResponse(request: .findByTypeValueRequest, handle: start, error: .attributeNotFound) : .findByTypeValueResponse(Array(found))
  }

  private func readByType(_ start: AttributeHandle, _ end: AttributeHandle, _ type: BluetoothUUID, mtu: Int) -> ATTPDU {
    var list: [ATTPDU.AttributeData] = []
    var room = mtu - 2
    for entry in inRange(start, end) where entry.type == type {
      if let error = entry.readError {
        // An error of the first attribute is the answer; one further on ends the list (3.4.4.1).
        if list.isEmpty { return .errorResponse(request: .readByTypeRequest, handle: entry.handle, error: error) }
        break
      }
      let value = Array(entry.value.prefix(min(mtu - 4, 253)))
      if let length = list.first?.value.count, length != value.count { break }
      room -= 2 + value.count
      if room < 0 { break }
      list.append(.init(handle: entry.handle, value: value))
    }
    return list.isEmpty ? .errorResponse(request: .readByTypeRequest, handle: start, error: .attributeNotFound) : .readByTypeResponse(list)
  }

  private func readByGroupType(_ start: AttributeHandle, _ end: AttributeHandle, _ type: BluetoothUUID, mtu: Int) -> ATTPDU {
    guard type == Self.primaryService || type == Self.secondaryService else {
      return .errorResponse(request: .readByGroupTypeRequest, handle: start, error: .unsupportedGroupType)
    }
    var list: [ATTPDU.AttributeGroup] = []
    var room = mtu - 2
    for entry in inRange(start, end) where entry.type == type {
      let value = Array(entry.value.prefix(min(mtu - 6, 251)))
      if let length = list.first?.value.count, length != value.count { break }
      room -= 4 + value.count
      if room < 0 { break }
      list.append(.init(start: entry.handle, end: entry.groupEnd ?? entry.handle, value: value))
    }
    return list.isEmpty
      ? .errorResponse(request: .readByGroupTypeRequest, handle: start, error: .attributeNotFound) : .readByGroupTypeResponse(list)
  }
}
