import Foundation

extension ScenarioDocument {
  /// Reads a scenario file.
  public static func read(file path: String) throws(ScenarioError) -> ScenarioDocument {
    if isFolder(path) {
      throw ScenarioError(.cannotRead, file: path, "cannot be read: it is a folder; name a scenario file")
    }
    let bytes: [UInt8]
    do {
      bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    } catch {
      throw ScenarioError(.cannotRead, file: path, "cannot be read: \(systemReason(error)); check the name and its permissions")
    }
    return try ScenarioDocument(reading: bytes, file: path)
  }
}

extension Scenario {
  /// Reads a scenario file.
  public static func read(file path: String) throws(ScenarioError) -> Scenario { try ScenarioDocument.read(file: path).scenario }

  /// Writes the scenario to a file; others see the old file or the new one, never a part. A link stays, its target is replaced.
  public func write(to path: String) throws(ScenarioError) {
    do {
      try Data(document()).write(to: URL(fileURLWithPath: path).resolvingSymlinksInPath(), options: .atomic)
    } catch {
      throw ScenarioError(
        .cannotWrite, file: path, "cannot be written: \(systemReason(error)); check the folder, its permissions and its space")
    }
  }
}

/// The operating system's reason behind an error of Foundation, whose own words say less.
package func systemReason(_ error: any Error) -> String {
  switch (error as? CocoaError)?.code {
  case .fileReadNoSuchFile, .fileNoSuchFile: return "there is no such file or folder"
  case .fileReadNoPermission, .fileWriteNoPermission, .fileWriteVolumeReadOnly: return "permission denied"
  case .fileWriteOutOfSpace: return "the disk is full"
  default: return (error as NSError).localizedDescription
  }
}

/// Whether a path is a folder's.
package func isFolder(_ path: String) -> Bool {
  (try? URL(fileURLWithPath: path).resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory == true
}
