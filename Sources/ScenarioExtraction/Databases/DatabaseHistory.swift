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
  /// How many of the latest a device may go back to: a hostile capture has another one in each link.
  private static let searched = 16
  /// The place of the one that held last.
  private var current = 0
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
    // The one that held last is the likeliest; a device that goes back to an earlier firmware or mode has the earlier one again.
    let isChange = course != nil
    let candidates = [current] + builders.indices.suffix(Self.searched).reversed().filter { $0 != current }
    if let same = candidates.first(where: { !(isChange && $0 == current) && builders[$0].agrees(with: part) }) {
      builders[same].merge(part)
      current = same
    } else {
      builders.append(part)
      current = builders.count - 1
    }
    if isChange { course?.changes[max(0, place - 1)] = current + 1 } else { course = Course(start: current + 1) }
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
