import Foundation
import Testing

/// Runs the tool that was built beside the tests.
enum Tool {
  struct Result {
    var code: Int32
    var output: String
    var errors: String
  }

  private final class Anchor {}

  /// Where the tool is: test bundle and tool stand in one folder.
  static func location() throws -> URL {
    var folders = [URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent(), Bundle.main.bundleURL]
    let bundle = Bundle(for: Anchor.self).bundleURL
    folders += [bundle, bundle.deletingLastPathComponent()]
    let candidates = folders.map { $0.appending(path: "understudy") }
    return try #require(candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) && !isFolder($0) })
  }

  private static func isFolder(_ url: URL) -> Bool {
    var folder: ObjCBool = false
    return FileManager.default.fileExists(atPath: url.path, isDirectory: &folder) && folder.boolValue
  }

  static func run(_ arguments: [String], input: [UInt8]? = nil, environment: [String: String] = [:]) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "understudy-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // Files, not pipes, so that neither side waits for the other.
    let (output, errors, standardInput) = (folder.appending(path: "out"), folder.appending(path: "err"), folder.appending(path: "in"))
    try Data(input ?? []).write(to: standardInput)
    for file in [output, errors] { try Data().write(to: file) }
    let process = Process()
    process.executableURL = try location()
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
