extension Attribute.Kind {
  /// What the attribute is, for messages in which two files are held against each other.
  package var words: String {
    switch self {
    case .service(let uuid, let primary, let end): "a \(primary ? "primary" : "secondary") service \(uuid) to \(end)"
    case .include(let uuid, let start, let end): "an include of \(uuid?.description ?? "a service") at \(start)…\(end)"
    case .characteristic(let uuid, _, let value): "characteristic \(uuid) with its value at \(value)"
    case .descriptor(let uuid): "an attribute of type \(uuid)"
    case .unknown: "unknown"
    }
  }
}
