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

  /// Names of the project's own recordings.
  public static let captureNames = ["heart-strap", "motion-stream", "serial-bridge", "thermo-logger"]

  /// The path of a recording.
  public static func capture(_ name: String) -> String { root.appending(path: "captures/\(name).btsnoop").path }

  /// The project's own recordings.
  public static let captures = captureNames.map { URL(filePath: capture($0)) }
}
