import Foundation
import ReplayEngine

/// What Apple's framework raises an Objective-C exception for, which ends an app.
///
/// Swift on Linux has no such exceptions. Ending the process would take the other tests along: so the line is kept, the verdict fails, and
/// the call does nothing.
enum RaisedException {
  /// Raises `NSInternalInconsistencyException` in an air, or in that of whoever runs here; without one the process ends, as on a phone.
  static func internalInconsistency(_ reason: String, in air: VirtualAir? = VirtualAir.find()) {
    let line = "NSInternalInconsistencyException: \(reason)"
    guard let air else { fatalError(line) }
    air.noteException(line)
  }
}
