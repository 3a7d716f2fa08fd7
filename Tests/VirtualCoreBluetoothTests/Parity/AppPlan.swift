import Foundation
import ReplayScenarios

/// What an app on CoreBluetooth can do of what a recorded central did in one session, when it did it.
struct AppPlan {
  enum Action: Equatable {
    case read(AttributeName)
    case write(AttributeName, [UInt8])
    case command(AttributeName, [UInt8])
    case subscribe(AttributeName, Bool)
    case hangUp
  }

  struct Step {
    var at: Duration
    var entry: Int
    var action: Action
    /// Whether it was done after the answer to what was asked before.
    var waits: Bool
    var isAnswered: Bool
  }

  /// Why no app on CoreBluetooth can do what stands on the tape.
  enum Obstacle: String, CaseIterable {
    /// Read Blob, Read Multiple, signed writes, parts of prepared writes and malformed PDUs on their own: the framework has no call.
    case noCall
    /// No discovery leads to the attribute, or the scenario does not know what it is.
    case notDiscoverable
    /// The framework drops a command to a characteristic without the property, or with more bytes than a packet takes.
    case droppedCommand
    /// The framework refuses a subscription to a characteristic without the property, or chooses the other kind.
    case otherSubscription
    /// The framework does not ask again for a subscription that is so already: the recorded error is not met.
    case repeatedSubscription
    /// The attributes have changed in the middle of the session.
    case laterDatabase
    /// The recorded central, or what a sniffer heard of it, went on while a request had no answer; the framework waits for it.
    case requestsSideBySide
    /// An entry of the peripheral's that follows one of these.
    case followsAnObstacle
  }

  private(set) var steps: [Step] = []
  private(set) var obstacles: [Int: Obstacle] = [:]
  /// When the session is over, as the recorded central takes it: its last entry, and a minute where the peripheral is to end it.
  private(set) var end: Duration = .zero

  init(_ session: Session, _ database: NamedDatabase, mtu: Int) {
    var answered = Duration.zero
    var (isLater, isOverlapping, hasEnd, last) = (false, false, false, Duration.zero)
    var ends: [Int?: Duration] = [:]
    var subscribed: Set<AttributeHandle> = []
    for (number, entry) in session.entries.enumerated() {
      let moment = entry.at + (entry.latency ?? .zero) + (entry.parts.last.map { $0.offset + $0.latency } ?? .zero)
      last = max(last, moment)
      switch entry.action {
      case .disconnect, .vanish: hasEnd = true
      default: break
      }
      if entry.origin == .central {
        let waits = entry.at >= answered
        let isAnswered = entry.answer != nil && entry.answer != .some(.none)
        if isAnswered { answered = max(answered, moment) }
        isOverlapping = isOverlapping || entry.answer != nil && !Self.isProcedure(entry) && entry.at < ends[entry.bearer] ?? .zero
        if entry.answer != nil, !Self.isProcedure(entry) { ends[entry.bearer] = isAnswered ? moment : .seconds(1 << 40) }
        let obstacle: Obstacle? = isLater ? .laterDatabase : isOverlapping && !Self.isEnd(entry) ? .requestsSideBySide : nil
        switch obstacle.map({ .failure($0) }) ?? Self.action(entry, database, mtu) {
        case .success(.subscribe(_, let isOn)) where entry.answer != .ok && subscribed.contains(entry.action.attribute ?? .init(0)) == isOn:
          obstacles[number] = .repeatedSubscription
        case .success(let action?):
          if case .subscribe(_, let isOn) = action, entry.answer == .ok, let descriptor = entry.action.attribute {
            if isOn { subscribed.insert(descriptor) } else { subscribed.remove(descriptor) }
          }
          steps.append(
            Step(at: entry.at, entry: number, action: action, waits: waits && isAnswered, isAnswered: isAnswered))
        // The system's own: the app has nothing to do with it.
        case .success(nil): break
        case .failure(let obstacle): obstacles[number] = obstacle
        }
      } else if let before = Self.cause(of: number, in: session), obstacles[before] != nil {
        obstacles[number] = .followsAnObstacle
      }
      isLater = isLater || entry.database != nil
    }
    end = last + (hasEnd ? .seconds(60) : .milliseconds(1))
  }

  private static func isProcedure(_ entry: TimelineEntry) -> Bool { if case .link = entry.action { true } else { false } }
  private static func isEnd(_ entry: TimelineEntry) -> Bool { if case .disconnect = entry.action { true } else { false } }

  /// The entry that one of the peripheral's follows.
  private static func cause(of number: Int, in session: Session) -> Int? {
    let entry = session.entries[number]
    switch entry.anchor?.cause {
    case .entry(let id), .request(let id): return session.entries.firstIndex { $0.id == id }
    case .previous:
      guard let attribute = entry.action.attribute else { return number > 0 ? number - 1 : nil }
      return session.entries[..<number].lastIndex { $0.origin == .peripheral && $0.action.attribute == attribute }
    case .connection, .idle, .every, nil: return nil
    }
  }

  private static func action(_ entry: TimelineEntry, _ database: NamedDatabase, _ mtu: Int) -> Result<Action?, Obstacle> {
    switch entry.action {
    case .exchangeMTU, .link: return .success(nil)
    case .disconnect: return .success(.hangUp)
    case .read(let handle): return database.name(handle).map { .success(.read($0)) } ?? .failure(.notDiscoverable)
    case .write(let handle, let value):
      if let characteristic = database.characteristic(ofConfiguration: handle), value.count == 2 {
        guard let name = database.name(characteristic) else { return .failure(.notDiscoverable) }
        let wanted = value[0] & 3
        let properties = database.properties(characteristic)
        // Notifications are chosen where a characteristic has both.
        let chosen: UInt8 = properties & 0x10 != 0 ? 1 : properties & 0x20 != 0 ? 2 : 0
        guard chosen != 0, wanted == 0 || wanted == chosen else { return .failure(.otherSubscription) }
        return .success(.subscribe(name, wanted != 0))
      }
      return database.name(handle).map { .success(.write($0, value)) } ?? .failure(.notDiscoverable)
    case .writeCommand(let handle, let value):
      guard let name = database.name(handle) else { return .failure(.notDiscoverable) }
      guard name.descriptor == nil, database.properties(handle) & 0x04 != 0, value.count <= mtu - 3 else {
        return .failure(.droppedCommand)
      }
      return .success(.command(name, value))
    case .pdu(let bytes):
      let discovery: Set<UInt8> = [0x04, 0x06, 0x08, 0x10]
      return bytes.first.map(discovery.contains) ?? false ? .success(nil) : .failure(.noCall)
    case .readBlob: return .failure(.noCall)
    case .notify, .indicate, .vanish: return .success(nil)
    }
  }
}

/// An attribute as an app finds it: by UUIDs, and which of several with the same.
struct AttributeName: Hashable {
  struct Place: Hashable {
    var uuid: String
    var number = 0
  }
  var service: Place
  var characteristic: Place
  var descriptor: Place?
}

/// Numbers things of the same UUID in their order.
struct PlaceCounter {
  private var counts: [String: Int] = [:]
  mutating func place(_ uuid: String) -> AttributeName.Place {
    defer { counts[uuid, default: 0] += 1 }
    return AttributeName.Place(uuid: uuid, number: counts[uuid, default: 0])
  }
}

/// A scenario's attributes by the names that an app has for them.
struct NamedDatabase {
  private var names: [AttributeHandle: AttributeName] = [:]
  private var flags: [AttributeHandle: UInt8] = [:]
  private var configurations: [AttributeHandle: AttributeHandle] = [:]

  init(_ attributes: [Attribute]) {
    var services = PlaceCounter()
    var characteristics = PlaceCounter()
    var descriptors = PlaceCounter()
    var service: (place: AttributeName.Place, end: AttributeHandle)?
    var characteristic: (place: AttributeName.Place, value: AttributeHandle)?
    for attribute in attributes.sorted(by: { $0.handle < $1.handle }) {
      switch attribute.kind {
      // An app finds secondary services only where others include them.
      case .service(let uuid, let primary, let end):
        service = primary ? (services.place("\(uuid.shortened)"), end) : nil
        (characteristics, characteristic) = (PlaceCounter(), nil)
      case .characteristic(let uuid, let properties, let value):
        flags[value] = properties
        guard let service, value <= service.end else {
          characteristic = nil
          continue
        }
        let place = characteristics.place("\(uuid.shortened)")
        characteristic = (place, value)
        descriptors = PlaceCounter()
        names[value] = AttributeName(service: service.place, characteristic: place)
      case .descriptor(let uuid):
        guard let service, let characteristic, attribute.handle <= service.end else { continue }
        names[attribute.handle] = AttributeName(
          service: service.place, characteristic: characteristic.place, descriptor: descriptors.place("\(uuid.shortened)"))
        if uuid.short == 0x2902 { configurations[attribute.handle] = characteristic.value }
      case .include, .unknown: break
      }
    }
  }

  func name(_ handle: AttributeHandle) -> AttributeName? { names[handle] }
  func properties(_ value: AttributeHandle) -> UInt8 { flags[value] ?? 0 }
  func characteristic(ofConfiguration handle: AttributeHandle) -> AttributeHandle? { configurations[handle] }
}

extension AppPlan.Obstacle: Error {}
