package import BLEWire

/// What went over one link, as it was recorded and as it was replayed, for a drawing of both side by side.
package struct Timeline: Sendable {
  /// The end that sent something; `none` for what happens to the link.
  package enum Sender: Int, Sendable { case central, peripheral, none }

  /// What something is, for filters.
  package enum Kind: String, Sendable, CaseIterable {
    case read, write, command, notification, indication, discovery, mtu = "MTU", error, link, fault, misuse, other
  }

  /// One arrow of the drawing, or one thing that happened to the link.
  package struct Event: Sendable {
    /// Nanoseconds since the link's start.
    package var time: Int64
    package var sender: Sender
    package var kind: Kind
    package var attribute: AttributeHandle?
    /// The whole PDU.
    package var bytes: [UInt8] = []
    /// What it is, without the attribute.
    package var words: String
    /// Where what it answers stands among the side's events.
    package var answers: Int?
    /// The scenario's entry, from 0.
    package var entry: Int?
    /// Whether it tells what became of a PDU that stands there already: that corresponds to what was recorded.
    package var isAfterthought = false
  }

  /// Why something is marked.
  package enum Mark: String, Sendable, CaseIterable { case divergence, fault, misuse }

  /// A mark at an event.
  package struct Remark: Sendable {
    package var mark: Mark
    package var text: String
    package var isReplayed: Bool
    package var event: Int
  }

  package var name: String
  package var attributes: AttributeLabels
  /// `nil` where the side is not there at all.
  package var recorded: [Event]?
  package var replayed: [Event]?
  package var remarks: [Remark] = []
  /// The numbers, from 0, of the peripheral and of its session, where what was swept is shown; `nil` for all else.
  package var swept: (peripheral: Int, session: Int)?

  /// Joins all.
  package init(name: String, attributes: AttributeLabels, recorded: [Event]? = nil, replayed: [Event]? = nil) {
    (self.name, self.attributes, self.recorded, self.replayed) = (name, attributes, recorded, replayed)
  }
}

/// What attributes are called, and what their values say.
package struct AttributeLabels: Sendable {
  private var types: [AttributeHandle: BluetoothUUID] = [:]

  /// Knows none.
  package init() {}

  /// Names an attribute by its type, unless it has a name.
  package mutating func add(_ handle: AttributeHandle, _ type: BluetoothUUID) { if types[handle] == nil { types[handle] = type } }

  /// The attribute's name, or its type, with its handle.
  package func label(_ handle: AttributeHandle) -> String {
    guard let type = types[handle] else { return handle.description }
    return "\(type.assignedName.map { "\($0) " } ?? "")\(type) (\(handle))"
  }

  /// The same in short, for drawings: the name alone, or the beginning of a long type.
  package func shortLabel(_ handle: AttributeHandle) -> String {
    guard let type = types[handle] else { return handle.description }
    let text = type.description
    return type.assignedName ?? (text.utf8.count > 8 ? "\(text.prefix(8))…" : text)
  }

  /// What a value says, where there are words for its type, or where it is nothing but text.
  package func meaning(of value: [UInt8], _ handle: AttributeHandle?) -> String? {
    if let type = handle.flatMap({ types[$0] }), let words = StandardValue.describe(value, type: type) { return words }
    guard value.count >= 4, value.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
    return "“\(String(decoding: value, as: UTF8.self))”"
  }
}
