import ByteParsing

/// The link types of pcap and pcapng that hold USB transfers.
///
/// Source: tcpdump.org/linktypes.html.
package enum USBLinkType: UInt32, Sendable, Hashable, CaseIterable {
  /// LINKTYPE_USB_LINUX: usbmon's header of 48 bytes.
  case usbmon = 189
  /// LINKTYPE_USB_LINUX_MMAPPED: usbmon's header of 64 bytes.
  case usbmonMapped = 220
  /// LINKTYPE_USBPCAP: USBPcap on Windows.
  case usbPcap = 249

  /// Reads one record; usbmon's integers are in the order of the host that captured, which the file's header tells.
  @_lifetime(copy bytes)
  package func parse(_ bytes: RawSpan, isBigEndian: Bool) throws(LinkTypeError) -> USBTransfer {
    switch self {
    case .usbmon: try USBTransfer(usbmon: bytes, headerLength: 48, isBigEndian: isBigEndian)
    case .usbmonMapped: try USBTransfer(usbmon: bytes, headerLength: 64, isBigEndian: isBigEndian)
    case .usbPcap: try USBTransfer(usbPcap: bytes)
    }
  }
}
