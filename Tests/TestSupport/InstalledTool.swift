import Foundation

/// Programs of the system that tests use where they are installed.
public enum InstalledTool {
  /// Where the first of these names is found among the commands; `nil` where none is.
  public static func path(_ names: String...) -> String? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":").map(String.init)
    return names.lazy.flatMap { name in folders.map { "\($0)/\(name)" } }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
