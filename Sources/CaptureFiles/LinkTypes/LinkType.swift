/// What the packets of a pcap or pcapng file begin with, by the number of the tcpdump group's list of link types.
///
/// Source: tcpdump.org/linktypes.html.
public enum LinkType: UInt32, Sendable, Hashable, CaseIterable {
  /// HCI packets behind their H4 indicator, without a direction.
  case hciUART = 187
  /// The same behind a direction of four bytes.
  case hciUARTWithDirection = 201
  /// BlueZ monitor records.
  case monitor = 254
  /// Packets of the LE link layer from their access address on.
  case linkLayer = 251
  /// The same behind what the radio tells.
  case linkLayerWithHeader = 256
  /// Nordic's nRF Sniffer.
  case nordicSniffer = 272
  /// Information of any kind, then a packet of another link type: Ubertooth.
  case perPacketInformation = 192
  /// USB transfers of Linux, with HCI inside.
  case usbmon = 189
  case usbmonMapped = 220
  /// USB transfers of Windows, with HCI inside.
  case usbPcap = 249
}

extension LinkType {
  /// What carries its packets.
  enum Transport {
    case hci
    case linkLayer(LinkLayerLinkType)
    case usb(USBLinkType)
  }

  /// What carries its packets, and in which form.
  var transport: Transport {
    switch self {
    case .hciUART, .hciUARTWithDirection, .monitor: .hci
    case .linkLayer: .linkLayer(.bare)
    case .linkLayerWithHeader: .linkLayer(.withRadioHeader)
    case .nordicSniffer: .linkLayer(.nordicSniffer)
    case .perPacketInformation: .linkLayer(.perPacketInformation)
    case .usbmon: .usb(.usbmon)
    case .usbmonMapped: .usb(.usbmonMapped)
    case .usbPcap: .usb(.usbPcap)
    }
  }

  /// The link type of a number, or what the user says that one of the numbers 147–162 means.
  init?(_ number: UInt32, _ options: CaptureOptions) {
    guard let type = LinkType(rawValue: number) ?? options.userLinkTypes[number] else { return nil }
    self = type
  }

  /// Whether a file of it holds the packets of one controller, as an interface of pcapng does.
  var isOneController: Bool { self == .hciUART || self == .hciUARTWithDirection }

  /// All numbers that are read, for people.
  static let supported = allCases.map { "\($0.rawValue) (\($0.name))" }.joined(separator: ", ")

  /// The name that the list gives it.
  public var name: String {
    switch self {
    case .hciUART: "BLUETOOTH_HCI_H4"
    case .hciUARTWithDirection: "BLUETOOTH_HCI_H4_WITH_PHDR"
    case .monitor: "BLUETOOTH_LINUX_MONITOR"
    case .linkLayer: "BLUETOOTH_LE_LL"
    case .linkLayerWithHeader: "BLUETOOTH_LE_LL_WITH_PHDR"
    case .nordicSniffer: "NORDIC_BLE"
    case .perPacketInformation: "PPI"
    case .usbmon: "USB_LINUX"
    case .usbmonMapped: "USB_LINUX_MMAPPED"
    case .usbPcap: "USBPCAP"
    }
  }

  /// A name for command lines.
  public var shortName: String {
    switch self {
    case .hciUART: "h4"
    case .hciUARTWithDirection: "h4-phdr"
    case .monitor: "monitor"
    case .linkLayer: "le-ll"
    case .linkLayerWithHeader: "le-ll-phdr"
    case .nordicSniffer: "nordic"
    case .perPacketInformation: "ppi"
    case .usbmon: "usb-linux"
    case .usbmonMapped: "usb-linux-mmapped"
    case .usbPcap: "usbpcap"
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
    let isUsers = linkTypes.contains { LinkLayerLinkType.userTypes.contains($0) }
    return CaptureError(
      .unsupportedLinkType, file: file, byteOffset: byteOffset,
      "has link type\(linkTypes.count == 1 ? "" : "s") \(numbers), which is not read; these are: \(LinkType.supported). "
        + (isUsers
          ? "What a user's number means, say with --user-dlt, as --user-dlt \(linkTypes[0])=le-ll" : "Capture Bluetooth with one of them"))
  }
}
