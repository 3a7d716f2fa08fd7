import ReplayScenarios

/// What a device knows of its bond, over all its links.
final class BondMemory {
  /// Whether its keys are gone, until it is paired with again.
  var isForgotten = false
  /// Whether the central's are gone as well: it does not try to encrypt with them.
  var isForgottenByCentral = false
  private let scenario: Scenario
  init(_ scenario: Scenario) { self.scenario = scenario }

  /// Whether the device was seen to pair.
  private(set) lazy var pairs = scenario.sessions.contains { session in
    session.entries.contains { if case .link(.pair) = $0.action { true } else { false } }
  }

  /// Attributes that need encryption or pairing, as far as recorded errors tell.
  private(set) lazy var protected: Set<AttributeHandle> = {
    var handles: Set<AttributeHandle> = []
    for session in scenario.sessions {
      for index in session.entries.indices where session.entries[index].origin == .central {
        switch session.entries[index].answer {
        case .error(.insufficientAuthentication), .error(.insufficientEncryption), .error(.insufficientAuthorization),
          .error(.encryptionKeySizeTooShort):
          if let handle = session.entries[index].attribute { handles.insert(handle) }
        default: break
        }
      }
    }
    return handles
  }()
}
