/// Holds the attributes of a database against each other.
struct DatabaseCheck {
  private(set) var problems: [ScenarioProblem] = []

  private let number: Int

  init(_ database: [Attribute], number: Int) {
    self.number = number
    checkHandles(database)
    checkServices(database)
  }

  private mutating func add(_ code: ScenarioProblem.Code, _ severity: ScenarioProblem.Severity, _ index: Int, _ message: String) {
    problems.append(ScenarioProblem(code, severity, at: .attribute(index, database: number), message))
  }

  private mutating func checkHandles(_ database: [Attribute]) {
    var seen: Set<AttributeHandle> = []
    for (index, attribute) in database.enumerated() {
      var own = [attribute.handle]
      switch attribute.kind {
      case .characteristic(_, _, let value): own.append(value)
      case .service(_, _, let end) where end < attribute.handle:
        add(.reversedRange, .error, index, "the service \(attribute.handle) ends at \(end), before it begins; correct its end")
      case .include(_, let start, let end) where end < start:
        add(.reversedRange, .error, index, "the included service ends at \(end), before its start \(start); correct one of them")
      default: break
      }
      for handle in own {
        if handle.rawValue == 0 { add(.invalidHandle, .error, index, "the handle 0x0000 is reserved; write one from 0x0001 to 0xffff") }
        if !seen.insert(handle).inserted {
          add(.duplicateHandle, .error, index, "the handle \(handle) belongs to two attributes; give one of them another")
        }
      }
    }
  }

  private mutating func checkServices(_ database: [Attribute]) {
    // The range of the service that was opened last, which is the only one that a later handle can fall into.
    var open: (start: AttributeHandle, end: AttributeHandle)?
    for (index, attribute) in database.enumerated().sorted(by: { ($0.element.handle, $0.offset) < ($1.element.handle, $1.offset) }) {
      if case .service(_, _, let end) = attribute.kind {
        if let before = open, attribute.handle <= before.end {
          add(
            .overlappingServices, .error, index,
            "the service \(attribute.handle)…\(end) overlaps the service \(before.start)…\(before.end); correct the end of one of them")
        }
        open = (attribute.handle, max(end, open?.end ?? end))
        continue
      }
      guard let service = open, attribute.handle <= service.end else {
        add(
          .outsideServices, .warning, index, "the attribute \(attribute.handle) belongs to no service; add its service, or correct its end")
        continue
      }
      if case .characteristic(_, _, let value) = attribute.kind, value <= attribute.handle || value > service.end {
        add(
          .valueOutsideService, .error, index,
          "the value \(value) of the characteristic \(attribute.handle) lies outside what is left of its service, up to \(service.end); correct it"
        )
      }
    }
  }
}
