/// Why a capture could not be read at all.
public struct CaptureError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Code: String, Sendable, Hashable {
    /// The operating system refused the file.
    case cannotOpen, cannotRead, cannotWrite
    /// The file has no bytes.
    case empty
    /// The content is no capture format that is read.
    case unknownFormat
    /// The format is read, this kind of link in it is not.
    case unsupportedLinkType
    /// The header of the file is cut.
    case cutHeader
    /// The file is whole and holds no record.
    case noRecords
    /// Its records are none of Bluetooth packets.
    case noBluetooth
    /// Not even the first record makes sense.
    case damaged
    /// An archive is cut or damaged where its parts are listed.
    case damagedArchive
    /// A part of an archive is encrypted or compressed in a way that is not read.
    case unsupportedArchive
    /// An archive holds no capture.
    case noCapture
  }

  public var code: Code
  /// The file as the caller named it.
  public var file: String
  /// Where in the file; `nil` where no place is to blame.
  public var byteOffset: Int?
  /// What is wrong and what to do.
  public var message: String

  /// Joins the parts.
  public init(_ code: Code, file: String, byteOffset: Int? = nil, _ message: String) {
    (self.code, self.file, self.byteOffset, self.message) = (code, file, byteOffset, message)
  }

  /// `FILE@BYTE: what is wrong; what to do`.
  public var description: String { "\(file)\(byteOffset.map { "@\($0)" } ?? ""): \(message)" }

  /// Errors are compared by their code.
  public static func == (left: CaptureError, right: CaptureError) -> Bool { left.code == right.code }
}
