import Foundation

/// A file that says which points of a sweep were begun and how they ended, written before and after each, so that the end of the process
/// in the middle of one is that one's result.
///
/// Each line is a JSON object: first the sweep's name, seed and count of points, then `{"begin":NUMBER}` and `{"end":POINT}`. A last line that
/// was cut is left out.
public struct SweepJournal: Sendable {
  /// Where it is.
  public let path: String

  /// Names a file, which need not be there.
  public init(path: String) { self.path = path }

  private struct Header: Codable, Equatable {
    var sweep: String
    var seed: UInt64
    var count: Int
    var format = "understudy-journal/1"
  }

  private struct Line: Codable {
    var begin: Int?
    var end: SweepResult.Point?
  }

  /// What a journal says.
  public struct Contents: Sendable {
    /// The points that ended, by number.
    public var points: [Int: SweepResult.Point] = [:]
    /// The one that was begun last and did not end.
    public var open: Int?
  }

  /// Removes the file, if there is one.
  public func remove() { try? FileManager.default.removeItem(atPath: path) }

  /// Reads it; empty where there is no file, or one of another sweep.
  public func contents(of sweep: Sweep) throws -> Contents {
    var contents = Contents()
    guard FileManager.default.fileExists(atPath: path) else { return contents }
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    var lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true)[...]
    let decoder = JSONDecoder()
    guard let first = lines.popFirst(), let header = try? decoder.decode(Header.self, from: first), header == Self.header(of: sweep) else {
      return contents
    }
    for line in lines {
      guard let line = try? decoder.decode(Line.self, from: line) else { continue }
      if let number = line.begin, sweep.points.indices.contains(number) { contents.open = number }
      guard let point = line.end, sweep.points.indices.contains(point.number), sweep.points[point.number] == point.point else { continue }
      contents.points[point.number] = point
      if contents.open == point.number { contents.open = nil }
    }
    return contents
  }

  private static func header(of sweep: Sweep) -> Header { Header(sweep: sweep.name, seed: sweep.seed, count: sweep.points.count) }

  /// Goes on with what is there, else begins anew. A point that had been begun and did not end is told as trapped.
  func begin(_ sweep: Sweep) throws -> [Int: SweepResult.Point] {
    var contents = try contents(of: sweep)
    try endLine()
    if contents.points.isEmpty, contents.open == nil {
      try write(Self.header(of: sweep), isFirst: true)
    } else if let open = contents.open {
      contents.points[open] = try endTrapped(open, in: sweep, "the process ended in the middle of the run")
    }
    return contents.points
  }

  /// Notes that a point's run ended the process, and why.
  @discardableResult
  package func endTrapped(_ number: Int, in sweep: Sweep, _ reason: String) throws -> SweepResult.Point {
    let point = SweepResult.Point(number: number, point: sweep.points[number], outcome: .trapped, failures: [reason])
    try end(point)
    return point
  }

  func begin(_ number: Int) throws { try write(Line(begin: number)) }
  func end(_ point: SweepResult.Point) throws { try write(Line(end: point)) }

  private func write(_ value: some Encodable, isFirst: Bool = false) throws {
    var data = try JSONEncoder().encode(value)
    data.append(UInt8(ascii: "\n"))
    guard !isFirst else { return try data.write(to: URL(fileURLWithPath: path), options: .atomic) }
    guard let file = FileHandle(forWritingAtPath: path) else {
      throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: path])
    }
    defer { try? file.close() }
    try file.seekToEnd()
    try file.write(contentsOf: data)
  }

  /// Ends what a process that ended in the middle of a line had written of it.
  private func endLine() throws {
    guard let file = FileHandle(forUpdatingAtPath: path) else { return }
    defer { try? file.close() }
    let size = try file.seekToEnd()
    guard size > 0 else { return }
    try file.seek(toOffset: size - 1)
    if try file.readToEnd()?.last != UInt8(ascii: "\n") { try file.write(contentsOf: Data([UInt8(ascii: "\n")])) }
  }
}
