import Foundation
import ReplayScenarios

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// The services of a device as nRF Connect exports a server's configuration: an order and types, but no handles.
///
/// `server-configuration` holds `service`, that `characteristic`, and that `descriptor`, `property` and `permission`; each of the first
/// three has a `uuid`, the last two a `name`, as READ, WRITE, WRITE_NO_RESPONSE, NOTIFY or INDICATE.
struct ServerConfiguration: Sendable {
  /// An attribute with its place among all, from 0.
  enum Kind: Sendable, Equatable {
    /// A service whose last attribute has this place.
    case service(BluetoothUUID, end: Int)
    case characteristic(BluetoothUUID, properties: UInt8)
    case value(properties: UInt8)
    case descriptor(BluetoothUUID)
  }
  private(set) var attributes: [Kind] = []

  /// More attributes than handles there cannot be.
  static let limit = 0xFFFF

  /// Reads the text of an export; throws with the line where it is none.
  init(_ text: Data, file: String) throws {
    let reader = Reader()
    let parser = XMLParser(data: text)
    parser.shouldResolveExternalEntities = false
    parser.delegate = reader
    let isWhole = parser.parse()
    if let problem = reader.problem { throw SidecarError(description: "\(file):\(problem)") }
    // Some parsers take a document that breaks off for a whole one.
    guard isWhole, reader.isClosed else {
      throw SidecarError(description: "\(file):\(max(1, parser.lineNumber)): is no whole XML document; export it again")
    }
    attributes = reader.attributes
    guard !attributes.isEmpty else { throw SidecarError(description: "\(file): holds no service; export a configuration with services") }
  }

  /// What the traffic tells of attributes: which told their value, and which were written and read, and which were configured.
  struct Evidence {
    var told: [AttributeHandle] = []
    var configured: [AttributeHandle] = []
    var written: [AttributeHandle] = []
    var read: [AttributeHandle] = []
    var isEmpty: Bool { told.isEmpty && configured.isEmpty && written.isEmpty && read.isEmpty }
  }

  /// The handles at which the first attribute may stand, where all follow one another: the first few of them.
  func places(_ evidence: Evidence) -> [Int] {
    let groups: [([AttributeHandle], (Kind) -> Bool)] = [
      (evidence.configured, { if case .descriptor(let uuid) = $0 { uuid.short == 0x2902 } else { false } }),
      (evidence.told, { if case .value(let properties) = $0 { properties & 0x30 != 0 } else { false } }),
      (
        evidence.written,
        { kind in
          switch kind {
          case .value(let properties): properties & 0x4C != 0
          case .descriptor: true
          case .service, .characteristic: false
          }
        }
      ),
      (evidence.read, { if case .value(let properties) = $0 { properties & 0x02 != 0 } else { true } }),
    ]
    guard let first = groups.first(where: { !$0.0.isEmpty }), let anchor = first.0.first else { return [] }
    var found: [Int] = []
    for (place, kind) in attributes.enumerated() where first.1(kind) {
      let base = Int(anchor.rawValue) - place
      guard base >= 1, base + attributes.count - 1 <= 0xFFFF else { continue }
      let fits = groups.allSatisfy { handles, isRight in
        handles.allSatisfy { handle in
          let index = Int(handle.rawValue) - base
          // What lies before and behind is of services that the export leaves out.
          return !attributes.indices.contains(index) || isRight(attributes[index])
        }
      }
      if fits { found.append(base) }
      if found.count > 4 { break }
    }
    return found
  }

  /// The attributes with handles from `base` on.
  func placed(at base: Int) -> [Attribute] {
    func handle(_ place: Int) -> AttributeHandle { AttributeHandle(UInt16(clamping: base + place)) }
    return attributes.enumerated().compactMap { place, kind in
      switch kind {
      case .service(let uuid, let end):
        Attribute(handle: handle(place), kind: .service(uuid: uuid, primary: true, end: handle(end)), provenance: .sidecar)
      case .characteristic(let uuid, let properties):
        Attribute(
          handle: handle(place), kind: .characteristic(uuid: uuid, properties: properties, value: handle(place + 1)), provenance: .sidecar)
      case .value: nil
      case .descriptor(let uuid): Attribute(handle: handle(place), kind: .descriptor(uuid: uuid), provenance: .sidecar)
      }
    }
  }

  /// Takes the elements one by one.
  private final class Reader: NSObject, XMLParserDelegate {
    var attributes: [Kind] = []
    /// Line and words of what is wrong.
    var problem: String?
    /// Whether the document came to its end.
    private(set) var isClosed = false
    private var service: Int?
    private var characteristic: Int?
    private var isRoot = true

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?, attributes values: [String: String]
    ) {
      func fail(_ text: String) {
        problem = problem ?? "\(max(1, parser.lineNumber)): \(text)"
        parser.abortParsing()
      }
      if isRoot {
        isRoot = false
        guard name == "server-configuration" else {
          return fail("<\(name.prefix(40))> is no server configuration of nRF Connect; export one")
        }
      }
      switch name {
      case "service", "characteristic", "descriptor":
        guard let text = values["uuid"], let uuid = BluetoothUUID(text) else { return fail("<\(name)> has no UUID; export it again") }
        guard attributes.count < ServerConfiguration.limit - 1 else { return fail("there are more attributes than handles") }
        switch name {
        case "service":
          service = attributes.count
          characteristic = nil
          attributes.append(.service(uuid, end: attributes.count))
        case "characteristic":
          guard service != nil else { return fail("a characteristic stands outside of a service") }
          characteristic = attributes.count
          attributes += [.characteristic(uuid, properties: 0), .value(properties: 0)]
        default:
          guard characteristic != nil else { return fail("a descriptor stands outside of a characteristic") }
          attributes.append(.descriptor(uuid))
        }
        if let service, case .service(let uuid, _) = attributes[service] { attributes[service] = .service(uuid, end: attributes.count - 1) }
      case "property":
        let bits: [String: UInt8] = [
          "BROADCAST": 0x01, "READ": 0x02, "WRITE_NO_RESPONSE": 0x04, "WRITE_WITHOUT_RESPONSE": 0x04, "WRITE": 0x08, "NOTIFY": 0x10,
          "INDICATE": 0x20, "SIGNED_WRITE": 0x40, "AUTHENTICATED_SIGNED_WRITES": 0x40, "EXTENDED_PROPERTIES": 0x80, "EXTENDED_PROPS": 0x80,
        ]
        guard let characteristic, case .characteristic(let uuid, let before) = attributes[characteristic] else {
          return fail("a property stands outside of a characteristic")
        }
        guard let bit = bits[values["name"]?.uppercased() ?? ""] else {
          return fail("the property \"\(values["name"]?.prefix(40) ?? "")\" is not known")
        }
        attributes[characteristic] = .characteristic(uuid, properties: before | bit)
        attributes[characteristic + 1] = .value(properties: before | bit)
      default: break
      }
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
      if name == "server-configuration" { isClosed = true }
      if name == "service" { (service, characteristic) = (nil, nil) } else if name == "characteristic" { characteristic = nil }
    }
  }
}
