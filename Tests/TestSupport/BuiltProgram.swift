import Foundation

/// A program that was built beside the tests.
public struct BuiltProgram: Sendable {
  public struct Result: Sendable {
    public var code: Int32
    public var output: String
    public var errors: String
  }

  /// Where no such program stands.
  public struct Missing: Error, CustomStringConvertible {
    public var name: String
    public var description: String { "\(name) was not built; run swift build --build-tests" }
  }

  private final class Anchor {}

  public let name: String
  /// Names a program.
  public init(_ name: String) { self.name = name }

  /// Where it is: test bundle and programs stand in one folder.
  public func location() throws -> URL {
    var folders = [URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent(), Bundle.main.bundleURL]
    let bundle = Bundle(for: Anchor.self).bundleURL
    folders += [bundle, bundle.deletingLastPathComponent()]
    let found = folders.map { $0.appending(path: name) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) && !Self.isFolder($0) }
    guard let found else { throw Missing(name: name) }
    return found
  }

  private static func isFolder(_ url: URL) -> Bool {
    var folder: ObjCBool = false
    return FileManager.default.fileExists(atPath: url.path, isDirectory: &folder) && folder.boolValue
  }

  /// Runs it to its end.
  public func run(_ arguments: [String], input: [UInt8]? = nil, environment: [String: String] = [:]) throws -> Result {
    try Self.run(location(), arguments, input: input, environment: environment)
  }

  /// Runs a tool of the toolchain to its end; it is looked for where commands are.
  public static func runTool(_ tool: String, _ arguments: [String]) throws -> Result {
    try run(URL(filePath: "/usr/bin/env"), [tool] + arguments)
  }

  private static func run(
    _ program: URL, _ arguments: [String], input: [UInt8]? = nil, environment: [String: String] = [:]
  ) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "\(program.lastPathComponent)-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // Files, not pipes, so that neither side waits for the other.
    let (output, errors, standardInput) = (folder.appending(path: "out"), folder.appending(path: "err"), folder.appending(path: "in"))
    try Data(input ?? []).write(to: standardInput)
    for file in [output, errors] { try Data().write(to: file) }
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
    process.standardInput = try FileHandle(forReadingFrom: standardInput)
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    process.waitUntilExit()
    return Result(
      code: process.terminationStatus, output: try String(contentsOf: output, encoding: .utf8),
      errors: try String(contentsOf: errors, encoding: .utf8))
  }
}
