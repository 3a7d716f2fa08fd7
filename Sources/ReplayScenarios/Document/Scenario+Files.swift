import Foundation

extension ScenarioDocument {
  /// Reads a scenario file.
  public static func read(file path: String) throws(ScenarioError) -> ScenarioDocument {
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

  /// Writes the scenario to a file; readers see the old file or the new one, never a part.
  public func write(to path: String) throws(ScenarioError) {
    do {
      try Data(document()).write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw ScenarioError(.cannotWrite, file: path, "cannot be written: \(systemReason(error)); check the folder, its permissions and its space")
    }
  }
}

/// The operating system's words for an error of Foundation.
private func systemReason(_ error: any Error) -> String {
  let error = error as NSError
  let cause = (error.userInfo[NSUnderlyingErrorKey] as? NSError) ?? error
  guard cause.domain == NSPOSIXErrorDomain, let code = POSIXErrorCode(rawValue: Int32(truncatingIfNeeded: cause.code)) else {
    return cause.localizedDescription
  }
  switch code {
  case .ENOENT: return "there is no such file or folder"
  case .EACCES, .EPERM, .EROFS: return "permission denied"
  case .EISDIR: return "it is a folder"
  case .ENOTDIR: return "a part of its path is no folder"
  case .ENOSPC, .EDQUOT: return "the disk is full"
  default: return cause.localizedDescription
  }
}
