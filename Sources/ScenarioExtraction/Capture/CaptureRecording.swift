public import SessionReconstruction

/// A capture with the ATT PDUs of all its links.
public struct CaptureRecording: Sendable {
  public let reconstruction: Reconstruction
  /// By link number, from 1; those without any traffic are left out.
  public var links: [Int: LinkRecording] { reconstruction.recordings }

  /// Reads the file at `path`.
  public init(path: String, options: CaptureOptions = CaptureOptions()) throws {
    try self.init(try CaptureReader(path: path, options: options))
  }

  /// Reads what is left of an opened capture; `progress` is told now and then how many bytes have been read.
  public init(_ capture: CaptureReader, progress: ((Int) -> Void)? = nil) throws {
    reconstruction = try Reconstruction(capture, keepsTraffic: true, progress: progress)
  }

  /// Reads bytes in memory.
  public init(bytes: [UInt8], file: String, options: CaptureOptions = CaptureOptions()) throws {
    try self.init(try CaptureReader(bytes: bytes, file: file, options: options))
  }
}
