import Foundation
public import ReplayEngine
import ReplayScenarios

extension Report {
  /// Writes the report to a file, in the form that its ending asks for; others see the old file or the new one, never a part.
  public func write(to path: String) throws(ReportError) {
    guard let form = Form(path: path) else {
      throw ReportError(.cannotWrite, file: path, "the ending tells no form of a report; there are \(Form.endings)")
    }
    guard !isFolder(path) else { throw ReportError(.cannotWrite, file: path, "cannot be written: it is a folder; name a file") }
    do {
      try Data(document(form)).write(to: URL(fileURLWithPath: path).resolvingSymlinksInPath(), options: .atomic)
    } catch {
      throw ReportError(
        .cannotWrite, file: path, "cannot be written: \(systemReason(error)); check the folder, its permissions and its space")
    }
  }
}

extension SweepResult {
  /// Reads the JSON report of a sweep, or of a part of one.
  public init(file path: String) throws(ReportError) {
    guard !isFolder(path) else { throw ReportError(.cannotRead, file: path, "cannot be read: it is a folder; name a file") }
    let bytes: [UInt8]
    do { bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) } catch {
      throw ReportError(.cannotRead, file: path, "cannot be read: \(systemReason(error)); check the name and its permissions")
    }
    try self.init(json: bytes, file: path)
  }
}
