import ByteParsing
import Foundation

/// The bytes that hexadecimal text names; spaces are for the reader.
public func hex(_ text: String) -> [UInt8] {
  guard let bytes = Hexadecimal.decode(text) else { fatalError("'\(text)' is not hexadecimal") }
  return bytes
}

/// Places in the repository.
public enum Repository {
  /// Its root.
  public static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The project's own recordings.
  public static let captures = ["heart-strap", "motion-stream", "serial-bridge", "thermo-logger"].map {
    root.appending(path: "captures/\($0).btsnoop")
  }

  /// A folder of other people's captures with `real` and `oracle` in it, where the environment names one.
  public static let foreignCaptures = ProcessInfo.processInfo.environment["UNDERSTUDY_FOREIGN_CAPTURES"].map { URL(filePath: $0) }
}
