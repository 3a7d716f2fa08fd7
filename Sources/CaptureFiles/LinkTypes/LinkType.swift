/// What the packets of a pcap or pcapng file begin with, by the number of the tcpdump group's list of link types.
public enum LinkType: UInt32, Sendable, Hashable, CaseIterable {
  /// HCI packets behind their H4 indicator, without a direction.
  case hciUART = 187
  /// The same behind a direction of four bytes.
  case hciUARTWithDirection = 201
  /// BlueZ monitor records.
  case monitor = 254
}

extension LinkType {
  /// The link type of a number, or what the user says that one of the numbers 147–162 means.
  init?(_ number: UInt32, _ options: CaptureOptions) {
    guard let type = LinkType(rawValue: number) ?? options.userLinkTypes[number] else { return nil }
    self = type
  }

  /// Whether it carries HCI packets of one controller.
  var isHCI: Bool {
    switch self {
    case .hciUART, .hciUARTWithDirection: true
    case .monitor: false
    }
  }

  /// All numbers that are read, for people.
  static let supported = allCases.map { "\($0.rawValue) (\($0.name))" }.joined(separator: ", ")

  /// The name that the list gives it.
  public var name: String {
    switch self {
    case .hciUART: "BLUETOOTH_HCI_H4"
    case .hciUARTWithDirection: "BLUETOOTH_HCI_H4_WITH_PHDR"
    case .monitor: "BLUETOOTH_LINUX_MONITOR"
    }
  }
}

extension LinkType {
  /// A name for command lines.
  public var shortName: String {
    switch self {
    case .hciUART: "h4"
    case .hciUARTWithDirection: "h4-phdr"
    case .monitor: "monitor"
    }
  }

  /// The link type of such a name.
  public init?(shortName: String) {
    guard let type = Self.allCases.first(where: { $0.shortName == shortName }) else { return nil }
    self = type
  }
}

extension CaptureError {
  /// None of the link types in a file is read.
  static func unsupported(linkTypes: [UInt32], file: String, byteOffset: Int?) -> CaptureError {
    let numbers = linkTypes.map(String.init).joined(separator: ", ")
    return CaptureError(
      .unsupportedLinkType, file: file, byteOffset: byteOffset,
      "has link type\(linkTypes.count == 1 ? "" : "s") \(numbers), which is not read; these are: \(LinkType.supported). "
        + "Capture Bluetooth with one of them")
  }
}
