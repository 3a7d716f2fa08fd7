import SessionReconstruction
import TestSupport
import Testing

/// How the links of other people's captures were paired and encrypted.
@Suite(.enabled(if: ForeignCaptures.folder != nil, "UNDERSTUDY_FOREIGN_CAPTURES is not set"))
struct ForeignPairingTests {
  private static let sweyntooth = "Matheus-Garbelini__sweyntooth_bluetooth_low_energy_attacks__"

  /// By file: link, kind, method, bonding, the keys that each end sent, and the outcome; what the file does not have is left out.
  private static let facts: [String: [String]] = [
    "AleBonora3__Tesi_BLE__Lv4_JW.pcapng": ["1 SC justWorks bonding ok"],
    "AleBonora3__Tesi_BLE__mouse.pcapng": ["1 legacy justWorks bonding C:identity P:encryption+identity ok"],
    "FrankHJCuypers__fuut__btsnoop_hci_20141017_1.log": ["2 stored"],
    // The attack switches encryption on without the pairing's keys.
    sweyntooth + "anomaly_nxp_unexpected_encryption_start.pcapng": ["1 SC justWorks bonding ok"],
    sweyntooth + "capture_cc2640_dhcheck_skip.pcap": ["1 SC justWorks bonding ok"],
    // The last of several requests, to a device that does not answer any more.
    sweyntooth + "capture_nxp_llid_deadlock_attack_capture.pcap": ["1 open"],
    // Encryption is asked for, and does not start.
    sweyntooth + "capture_telink_key_overflow.pcap": ["1 legacy justWorks bonding open"],
    sweyntooth + "noncompliance_stmicoelectronics_wb55_non_zero_ediv_rand_SC.pcapng": [
      "1 SC justWorks bonding C:identity+signing P:identity+signing ok"
    ],
    sweyntooth + "noncomplicance_telink_respond_invalid_control_pdu2_sniffer.pcapng": ["1 legacy justWorks bonding ok"],
    sweyntooth + "noncomplicance_telink_respond_version_more_than_once.pcapng": ["1 legacy justWorks bonding 0x04"],
    "darkmentorllc__Blue2thprinting__cafe_capture.pcap": ["1 legacy justWorks open"],
    "durnerj__PoGo-Plus-BLE__bt_log_plus_pair_2017_12_13.log": [
      "1 legacy justWorks bonding C:identity P:encryption ok", "2 legacy justWorks bonding C:identity P:encryption ok",
      "4 legacy justWorks bonding C:identity P:encryption ok",
    ],
    "homewsn__bsniffhub__bonding-ltk-0F241772AC270CAFEE654186F0A65D5F.pcap": ["1 legacy justWorks bonding ok", "2 stored", "3 stored"],
    "homewsn__bsniffhub__encrypted-packet-501-missing.pcap": ["1 SC justWorks ok"],
    "homewsn__bsniffhub__lp-justworks.pcap": ["1 legacy justWorks ok"],
    "homewsn__bsniffhub__lp-oob-tk-5E882417A987222423A1A9EC719AED27.pcap": ["1 legacy outOfBand ok"],
    "homewsn__bsniffhub__lp-passkeyentry-123456-initiator-inputs-responder-displays.pcap": ["1 legacy passkeyEntry ok"],
    "homewsn__bsniffhub__sc-justworks-fragments-assembly-ltk-BD27012E93C195F13B8F176FE84A2DED.pcap": ["1 SC justWorks ok"],
    "homewsn__bsniffhub__sc-justworks.pcap": ["1 SC justWorks ok"],
    "homewsn__bsniffhub__sc-passkeyentry-123456-initiator-inputs-responder-displays.pcap": ["1 SC passkeyEntry ok"],
    // A tool wrote what it had decrypted into the file.
    "mikeryan__crackle__expected_output.pcap": ["1 legacy justWorks bonding P:encryption ok"],
    "mikeryan__crackle__le_secure_connections.pcapng": ["1 SC justWorks bonding ok"],
    "mikeryan__crackle__missing_confirms.pcap": ["1 legacy justWorks bonding ok"],
    "mikeryan__crackle__pairing_and_ltk_exchange.pcap": ["1 legacy justWorks bonding ok"],
    "whad-team__whad-client__comm.pcap": ["1 stored"], "whad-team__whad-client__comm_dec.pcap": ["1 stored"],
  ]

  @Test(arguments: ForeignCaptures.files)
  func everyPairingIsTold(file: String) throws {
    guard let capture = try? Reconstruction(path: ForeignCaptures.path(file)) else { return }
    #expect(capture.links.compactMap(Self.fact) == Self.facts[file] ?? [])
  }

  private static func fact(_ link: Link) -> String? {
    guard let pairing = link.pairing else { return link.isBonded ? "\(link.index) stored" : nil }
    var words = [String(link.index)]
    if let method = pairing.method { words += [pairing.isSecureConnections ? "SC" : "legacy", method.rawValue] }
    if pairing.isBonding { words.append("bonding") }
    for (name, end) in [("C", pairing.central), ("P", pairing.peripheral)] {
      let all: [(KeyDistribution, String)] = [(.encryption, "encryption"), (.identity, "identity"), (.signing, "signing")]
      let sent = all.filter { end?.sent.contains($0.0) ?? false }.map(\.1)
      if !sent.isEmpty { words.append("\(name):\(sent.joined(separator: "+"))") }
    }
    switch link.pairingOutcome {
    case .success?: words.append("ok")
    case .failure(let reason)?: words.append("0x0\(String(reason, radix: 16))")
    case nil: words.append("open")
    }
    return words.joined(separator: " ")
  }
}
