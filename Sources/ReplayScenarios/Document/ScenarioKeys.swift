/// The keys of each object of a scenario, in the order in which they are written; reader, writer and schema go by them.
package enum ScenarioKeys {
  package enum Root: String, CaseIterable {
    case format, origin, note, match, unmatched, device, database, laterDatabases, rules, expect, faults, sessions
  }
  package enum Origin: String, CaseIterable { case file, time, capturedAt, tool, redacted }
  package enum Device: String, CaseIterable {
    case address, addressType, addresses, name, identifier, mtu, sendsUnsubscribed, keepsSubscriptions, advertising
  }
  package enum Advertising: String, CaseIterable { case data, scanResponse, connectable, interval, rssi, provenance }
  package enum Attribute: String, CaseIterable {
    case handle, service, include, characteristic, descriptor, unknown, secondary, start, end, value, properties, content, readError,
      writeError, match, unmatched, provenance, note
  }
  package enum Session: String, CaseIterable {
    case link, file, time, address, bonded, parameters, complete, database, mtu, failed, subscriptions, note, entries
  }
  package enum Parameters: String, CaseIterable { case interval, latency, timeout }
  package enum Entry: String, CaseIterable {
    case at, by, bearer, mtu, pdu, read, readBlob, write, command, notify, indicate, securityRequest, pair, encrypt, requestParameters,
      updateParameters, phy, dataLength, openChannel, channelData, closeChannel, disconnect, vanish, offset, value, answer, error, latency,
      parts,
      matches, id, after, delay, cancel, truncated, answerTruncated, database, required, note
  }
  package enum Pairing: String, CaseIterable { case method, secureConnections, central, peripheral }
  package enum PairingEnd: String, CaseIterable {
    case io, outOfBand, authentication, keySize, initiatorKeys, responderKeys, sent, keys
  }
  package enum PairingKeys: String, CaseIterable { case ltk, ediv, rand, irk, address, addressType, csrk }
  package enum ParameterRange: String, CaseIterable { case intervalMin, intervalMax, latency, timeout }
  package enum Channel: String, CaseIterable { case channel, psm, central, peripheral }
  package enum ChannelEnd: String, CaseIterable { case mtu, mps, credits }
  /// What differs between the ends of a link.
  package enum Ends: String, CaseIterable { case central, peripheral }
  package enum Rule: String, CaseIterable { case on, answer, error, then, note }
  package enum Trigger: String, CaseIterable { case write, read, subscribe, value, matches }
  package enum Step: String, CaseIterable { case notify, set, disconnect, value, delay }
  package enum Expectation: String, CaseIterable {
    case scan, attempt, connect, disconnect, read, write, subscribe, idle, mark, count, atMost, within, apart, note
  }
  package enum Answer: String, CaseIterable { case pdu, value }
  package enum Cause: String, CaseIterable { case request, every, write, since }
  package enum Matcher: String, CaseIterable { case mask, prefix, counter, bytes, bigEndian }

  /// The keys of every object, by the name that the schema has for it.
  package static let all: [String: [String]] = [
    "scenario": names(Root.self), "origin": names(Origin.self), "device": names(Device.self), "advertising": names(Advertising.self),
    "attribute": names(Attribute.self), "session": names(Session.self), "parameters": names(Parameters.self), "entry": names(Entry.self),
    "pairing": names(Pairing.self), "pairingEnd": names(PairingEnd.self), "pairingKeys": names(PairingKeys.self),
    "parameterRange": names(ParameterRange.self), "channel": names(Channel.self), "channelEnd": names(ChannelEnd.self),
    "phys": names(Ends.self), "dataLengths": names(Ends.self), "answer": names(Answer.self), "cause": names(Cause.self),
    "matcher": names(Matcher.self), "rule": names(Rule.self), "trigger": names(Trigger.self), "step": names(Step.self),
    "expectation": names(Expectation.self),
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

  /// What a device can show and be told, by name; other codes are written as numbers.
  package static let ioCapabilities: [(name: String, kind: IOCapability)] = [
    ("displayOnly", .displayOnly), ("displayYesNo", .displayYesNo), ("keyboardOnly", .keyboardOnly),
    ("noInputNoOutput", .noInputNoOutput), ("keyboardDisplay", .keyboardDisplay),
  ]

  /// PHYs by name; others are written as numbers.
  package static let phys: [(name: String, kind: LinkPHY)] = [("1M", .le1M), ("2M", .le2M), ("coded", .leCoded)]

  /// What a pairing is to give, and the keys that an end distributes, from bit 0 on. Source: Core 5.4, Vol 3, Part H, 3.5.1 and 3.6.1.
  package static let authentication = ["bonding", "bit1", "mitm", "secureConnections", "keypress", "ct2", "bit6", "bit7"]
  package static let distribution = ["encryption", "identity", "signing", "linkKey", "bit4", "bit5", "bit6", "bit7"]

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
