/// The keys of each object of a scenario, in the order in which they are written; reader, writer and schema go by them.
package enum ScenarioKeys {
  package enum Root: String, CaseIterable { case format, origin, note, match, unmatched, device, database, sessions }
  package enum Origin: String, CaseIterable { case file, time, capturedAt, tool, redacted }
  package enum Device: String, CaseIterable {
    case address, addressType, name, identifier, mtu, sendsUnsubscribed, keepsSubscriptions, advertising
  }
  package enum Advertising: String, CaseIterable { case data, scanResponse, connectable, interval, rssi, provenance }
  package enum Attribute: String, CaseIterable {
    case handle, service, include, characteristic, descriptor, unknown, secondary, start, end, value, properties, content, readError,
      writeError,
      provenance, note
  }
  package enum Session: String, CaseIterable { case link, time, parameters, complete, mtu, failed, subscriptions, note, entries }
  package enum Parameters: String, CaseIterable { case interval, latency, timeout }
  package enum Entry: String, CaseIterable {
    case at, by, mtu, pdu, read, readBlob, write, command, notify, indicate, disconnect, vanish, offset, value, answer, error, latency,
      parts,
      matches, id, after, delay, cancel, truncated, answerTruncated, note
  }
  package enum Answer: String, CaseIterable { case pdu, value }
  package enum Cause: String, CaseIterable { case request, every, write, since }
  package enum Matcher: String, CaseIterable { case mask, prefix, counter, bytes, bigEndian }

  /// The keys of every object, by the name that the schema has for it.
  package static let all: [String: [String]] = [
    "scenario": names(Root.self), "origin": names(Origin.self), "device": names(Device.self), "advertising": names(Advertising.self),
    "attribute": names(Attribute.self), "session": names(Session.self), "parameters": names(Parameters.self), "entry": names(Entry.self),
    "answer": names(Answer.self), "cause": names(Cause.self), "matcher": names(Matcher.self),
  ]

  private static func names<Key: RawRepresentable<String> & CaseIterable>(_: Key.Type) -> [String] { Key.allCases.map(\.rawValue) }
}

/// Words of the document that stand for numbers or cases of the model.
package enum ScenarioWords {
  /// The version that is read and written.
  package static let format = "understudy/1"

  /// Address types by name; others are written as numbers.
  package static let addressTypes: [(name: String, kind: BluetoothAddress.Kind)] = [
    ("public", .publicDevice), ("random", .random), ("publicIdentity", .publicIdentity), ("randomIdentity", .randomIdentity),
    ("anonymous", .anonymous), ("classic", .classic),
  ]

  /// Characteristic properties from bit 0 on. Source: Core 5.4, Vol 3, Part G, 3.3.1.1.
  package static let properties = [
    "broadcast", "read", "writeWithoutResponse", "write", "notify", "indicate", "authenticatedSignedWrites", "extendedProperties",
  ]

  /// The service of an include whose declaration does not hold its UUID.
  static let unknownService = "unknown"
  static let ok = "ok"
  static let none = "none"
  static let connection = "connection"
  static let previous = "previous"
  static let idle = "idle"
  /// Words that `after` has, and that no entry can therefore have for its id.
  static let causes = [connection, previous, idle]
  static let length = "length"
  static let any = "any"
  /// What calls an entry off, by name.
  package static let cancellations: [(name: String, option: Anchor.Cancellation)] = [("unsubscribe", .unsubscribe), ("write", .write)]
}
