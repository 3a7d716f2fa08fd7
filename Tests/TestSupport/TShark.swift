import Foundation

/// Another program that reads captures, as a second opinion.
public enum TShark {
  public static let path = ["/usr/bin/tshark", "/usr/local/bin/tshark", "/opt/homebrew/bin/tshark"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// The values of fields of each packet that a filter takes; several values of a field are joined by `|`.
  public static func rows(_ file: String, filter: String, _ fields: [String]) throws -> [[String]] {
    let process = Process()
    process.executableURL = URL(filePath: path ?? "tshark")
    process.arguments =
      ["-r", file, "-Y", filter, "-T", "fields", "-E", "aggregator=|"] + fields.flatMap { ["-e", $0] }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw CocoaError(.fileReadUnknown) }
    return text.split(separator: "\n").map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
  }
}
