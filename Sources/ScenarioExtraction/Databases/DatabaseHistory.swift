import ReplayScenarios
import SessionReconstruction

/// The databases that a device showed over its links, in order, and which of them held when.
///
/// Links show one database as long as no discovery and no Database Hash contradicts what is known of it (Core 5.4, Vol 3, Part G, 2.5.2).
struct DatabaseHistory {
  /// The databases of one link.
  struct Course {
    /// The number of the one that holds at the start, from 1.
    var start: Int
    /// The numbers that hold from an entry on, by the entry's place.
    var changes: [Int: Int] = [:]
  }

  private var builders = [DatabaseBuilder()]
  /// By the link's number.
  private(set) var courses: [Int: Course] = [:]

  /// Adds what one link tells; `builder` has its entries.
  mutating func add(_ link: Link, _ builder: EntryBuilder?) {
    let entries = builder?.outlines ?? []
    var from = 0
    var course: Course?
    for change in link.earlierDatabases where change.server == .peripheral {
      // The indication is the last of what it ends.
      let next = entries.firstIndex { Int($0.first) >= change.endedBy } ?? entries.count
      add(change.attributes, builder, from..<max(from, next), at: from, &course)
      from = max(from, next)
    }
    add(link.databases[.peripheral], builder, from..<entries.count, at: from, &course)
    courses[link.index] = course
  }

  private mutating func add(
    _ discovered: DiscoveredDatabase?, _ entries: EntryBuilder?, _ range: Range<Int>, at place: Int, _ course: inout Course?
  ) {
    var part = DatabaseBuilder()
    if let discovered { part.add(discovered) }
    if let entries { part.add(entries, range) }
    if course == nil, let last = builders.last, last.agrees(with: part) {
      builders[builders.count - 1].merge(part)
    } else {
      builders.append(part)
    }
    if course == nil { course = Course(start: builders.count) } else { course?.changes[max(0, place - 1)] = builders.count }
  }

  /// Adds what another file tells of the same device to the last database that it does not contradict; throws where it contradicts all.
  mutating func add(_ sidecar: DatabaseSidecar, capture: String) throws(SidecarError) {
    var failure: SidecarError?
    for place in builders.indices.reversed() {
      do throws(SidecarError) { return try builders[place].add(sidecar, capture: capture) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }

  /// Every database, in order.
  var databases: [[Attribute]] { builders.map { $0.attributes() } }
}
