public import CaptureFiles
import Foundation
public import ReplayScenarios
import SessionReconstruction

/// A device's attributes as another file tells them: what a bonded phone knew and did not ask for again.
public struct DatabaseSidecar: Sendable {
  /// The file, for messages.
  public var file: String
  /// The device there; `nil` where the file does not tell.
  public var address: BluetoothAddress?
  public var attributes: [Attribute]
  /// The order of its attributes, where the file tells no handles.
  var configuration: ServerConfiguration?

  /// Joins the parts.
  public init(file: String, address: BluetoothAddress?, attributes: [Attribute]) {
    (self.file, self.address, self.attributes) = (file, address, attributes)
  }

  /// The devices that a scenario, a capture or an export of nRF Connect tells of.
  public static func read(path: String, options: CaptureOptions = CaptureOptions()) throws -> [DatabaseSidecar] {
    if try isText(path) {
      let text = try Data(contentsOf: URL(fileURLWithPath: path))
      if text.first(where: { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }) == UInt8(ascii: "<") {
        var sidecar = DatabaseSidecar(file: path, address: nil, attributes: [])
        sidecar.configuration = try ServerConfiguration(text, file: path)
        return [sidecar]
      }
      let scenario = try Scenario.read(file: path)
      return [DatabaseSidecar(file: path, address: scenario.device.address, attributes: scenario.databases.last ?? [])]
    }
    let extractor = ScenarioExtractor(try CaptureRecording(path: path, options: options))
    return extractor.subjects.map { subject in
      DatabaseSidecar(file: path, address: subject.address, attributes: extractor.databases(of: subject).last ?? [])
    }
  }

  /// Scenarios are text; captures are not.
  private static func isText(_ path: String) throws -> Bool {
    guard path != "-", let file = FileHandle(forReadingAtPath: path) else { return false }
    let beginning = try file.read(upToCount: 256) ?? Data()
    return !beginning.isEmpty && beginning.allSatisfy { $0 >= 0x20 || [0x09, 0x0A, 0x0D].contains($0) }
  }

  /// The value of the Database Hash characteristic, which is the same for the same attributes (Core 5.4, Vol 3, Part G, 7.3).
  static func hash(_ attributes: [Attribute]) -> [UInt8]? {
    for attribute in attributes {
      if case .characteristic(let uuid, _, _) = attribute.kind, uuid.short == 0x2B2A, let content = attribute.content, content.count == 16 {
        return content
      }
    }
    return nil
  }
}

/// Why another file's attributes do not fit a capture's.
public struct SidecarError: Error, Sendable, CustomStringConvertible {
  public let description: String
}

extension [DatabaseSidecar] {
  /// The one that is of a device: by its address, else by the hash of its database, else the only one that may be.
  ///
  /// A resolvable address changes by the hour, so that it rules nothing out.
  ///
  /// `hash` is the value of the device's Database Hash characteristic, where the capture has read it. Throws where none may be.
  func choose(for device: BluetoothAddress?, hash: [UInt8]?) throws(SidecarError) -> DatabaseSidecar {
    if let device, let same = first(where: { $0.address?.value == device.value }) { return same }
    if let hash, let same = first(where: { DatabaseSidecar.hash($0.attributes) == hash }) { return same }
    let possible = filter { sidecar in
      guard let device, let address = sidecar.address else { return true }
      return device.randomKind == .resolvable || address.randomKind == .resolvable
    }
    if possible.count == 1, let only = possible.first { return only }
    let known = map { $0.address?.description ?? "a device without an address" }.joined(separator: ", ")
    let file = first?.file ?? "the file"
    throw SidecarError(
      description: possible.isEmpty
        ? "\(file): is of \(known), not of \(device?.description ?? "this device"); give a file of the same device"
        : "\(file): tells of several devices (\(known)), and none has the address \(device?.description ?? "of this one"); give a scenario of one of them"
    )
  }
}
