import ReplayReports
import SessionReconstruction

extension Link {
  /// How it was paired, or that a stored key encrypted it, in words; `nil` where it was neither.
  var securityText: String? {
    var parts: [String] = []
    if let pairing {
      let kind = pairing.isSecureConnections ? "LE Secure Connections" : "LE legacy pairing"
      parts.append(pairing.method.map { "\(kind), \($0.words)" } ?? "pairing without a response")
      if pairing.isBonding { parts.append("bonding") }
      let ends = [("central", pairing.central), ("peripheral", pairing.peripheral)]
      for (name, end) in ends {
        if let sent = end?.sent, !sent.isEmpty { parts.append("the \(name) sent \(sent.words)") }
      }
      parts.append(outcomeText)
    }
    if isBonded { parts.append("encrypted with a stored key") }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  private var outcomeText: String {
    switch pairingOutcome {
    case .success?: "done"
    case .failure(let reason)?: "failed: \(PairingFailure(rawValue: UInt8(truncatingIfNeeded: reason)))"
    case nil: "its end is not shown"
    }
  }

  /// The same for programs; values of keys are left out.
  var securityJSON: JSONValue {
    guard let pairing else { return .null }
    return .object([
      ("method", .optional(pairing.method?.rawValue)), ("secureConnections", .bool(pairing.isSecureConnections)),
      ("bonding", .bool(pairing.isBonding)),
      ("centralKeys", .array((pairing.central?.sent.names ?? []).map { .string($0) })),
      ("peripheralKeys", .array((pairing.peripheral?.sent.names ?? []).map { .string($0) })),
      ("outcome", .optional(pairingOutcome.map { $0 == .success ? "ok" : "failed" })),
      ("reason", .optional(pairingOutcome.flatMap { if case .failure(let reason) = $0 { Int(reason) } else { nil } })),
    ])
  }
}

extension PairingMethod {
  fileprivate var words: String {
    switch self {
    case .justWorks: "Just Works"
    case .passkeyEntry: "passkey entry"
    case .numericComparison: "numeric comparison"
    case .outOfBand: "out of band"
    }
  }
}

extension KeyDistribution {
  fileprivate var words: String { names.joined(separator: ", ") }

  fileprivate var names: [String] {
    let all: [(KeyDistribution, String)] = [(.encryption, "LTK"), (.identity, "IRK"), (.signing, "CSRK"), (.linkKey, "link key")]
    return all.compactMap { contains($0.0) ? $0.1 : nil }
  }
}
