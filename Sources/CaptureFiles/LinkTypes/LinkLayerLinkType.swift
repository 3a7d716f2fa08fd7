import ByteParsing

/// The link types of pcap and pcapng that hold packets of the LE link layer.
///
/// Source: tcpdump.org/linktypes.html.
package enum LinkLayerLinkType: UInt32, Sendable, Hashable, CaseIterable {
  /// LINKTYPE_PPI: information of any kind, then another link type.
  case perPacketInformation = 192
  /// LINKTYPE_BLUETOOTH_LE_LL: nothing but the packet.
  case bare = 251
  /// LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR.
  case withRadioHeader = 256
  /// LINKTYPE_NORDIC_BLE: Nordic's nRF Sniffer.
  case nordicSniffer = 272

  /// The numbers that are left to users, who alone know what they mean (LINKTYPE_USER0…15).
  package static let userTypes: ClosedRange<UInt32> = 147...162

  /// Reads one record; `userTypes` tells what a user's numbers inside per-packet information stand for.
  @_lifetime(copy bytes)
  package func parse(
    _ bytes: RawSpan, userTypes: [UInt32: LinkLayerLinkType] = [:]
  ) throws(LinkTypeError) -> LinkLayerPacket {
    switch self {
    case .perPacketInformation: try LinkLayerPacket(perPacketInformation: bytes, userTypes: userTypes)
    case .bare: try LinkLayerPacket(parsing: bytes)
    case .withRadioHeader: try LinkLayerPacket(radioHeader: bytes)
    case .nordicSniffer: try LinkLayerPacket(nordicSniffer: bytes)
    }
  }
}
