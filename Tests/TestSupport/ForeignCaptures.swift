import Foundation

/// Captures of other people, in the folder that `UNDERSTUDY_FOREIGN_CAPTURES` names; tests on them are skipped where it is not set.
public enum ForeignCaptures {
  /// Why tests are skipped.
  public static let missing = "UNDERSTUDY_FOREIGN_CAPTURES is not set"
  /// The folder with `real` and `oracle`.
  public static let folder = ProcessInfo.processInfo.environment["UNDERSTUDY_FOREIGN_CAPTURES"].flatMap {
    $0.isEmpty ? nil : URL(filePath: $0)
  }

  /// Names of the btsnoop files, by their content.
  public static let btsnoopFiles: [String] = {
    guard let real = folder?.appending(path: "real"), let names = try? FileManager.default.contentsOfDirectory(atPath: real.path) else {
      return []
    }
    return names.filter { name in
      guard let file = try? FileHandle(forReadingFrom: real.appending(path: name)) else { return false }
      return (try? file.read(upToCount: 7)) == Data("btsnoop".utf8)
    }.sorted()
  }()

  /// Names of all captures.
  public static let files: [String] = {
    guard let real = folder?.appending(path: "real") else { return [] }
    return ((try? FileManager.default.contentsOfDirectory(atPath: real.path)) ?? []).sorted()
  }()

  /// The path of a capture.
  public static func path(_ name: String) -> String { folder?.appending(path: "real/\(name)").path ?? name }
}
