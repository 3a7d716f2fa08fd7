import CaptureFiles
import Foundation
import ReplayEngine
import ReplayScenarios
import ScenarioExtraction
import TestSupport
import Testing

/// Captures and scenarios of others hold nothing any more of what another program finds in them.
@Suite(.enabled(if: ForeignCaptures.folder != nil, "UNDERSTUDY_FOREIGN_CAPTURES is not set"))
struct ForeignRedactionTests {
  private static let addresses = [
    "bthci_evt.bd_addr", "bthci_cmd.bd_addr", "btle.advertising_address", "btle.scanning_address", "btle.initiator_address",
    "btle.target_address", "btcommon.eir_ad.entry.bd_addr",
  ]
  private static let names = [
    "btcommon.eir_ad.entry.device_name", "bthci_evt.remote_name", "bthci_cmd.device_name", "bthci_evt.device_name",
  ]
  private static let keys = [
    "btsmp.long_term_key", "btsmp.id_resolving_key", "btsmp.signature_key", "bthci_cmd.le_long_term_key", "bthci_cmd.link_key",
    "bthci_evt.link_key",
  ]

  /// A PacketLogger file that the other program takes for another format.
  private static let mistaken = "Thewbi__hci_bluetooth__copied.pklg"

  /// What another program finds: addresses, names of four letters and more, keys. What stands in packets with bit errors is none of these,
  /// and an address of almost nothing but zeros is no device's, and stands anywhere.
  static func secrets(_ file: String) throws -> Set<[UInt8]> {
    var secrets: Set<[UInt8]> = []
    for row in try TShark.rows(file, filter: "!btle.crc.incorrect && !(nordic_ble.crcok == 0)", addresses + names + keys) {
      for (place, field) in row.enumerated() {
        for text in field.split(separator: "|") {
          if addresses.indices.contains(place) || place >= addresses.count + names.count {
            let bytes = Hexadecimal.decode(text.replacing(":", with: "").replacing("0x", with: "")) ?? []
            if bytes.count >= 6, bytes.count(where: { $0 != 0 && $0 != 0xFF }) > 2 { secrets.insert(bytes) }
          } else if text.utf8.count >= 4 {
            secrets.insert(Array(text.utf8))
          }
        }
      }
    }
    return secrets
  }

  @Test(.enabled(if: TShark.path != nil, "tshark is not installed"), arguments: ForeignCaptures.files)
  func nothingOfTheOriginalsIsLeft(file: String) throws {
    let path = ForeignCaptures.path(file)
    guard let recording = try? CaptureRecording(path: path), recording.reconstruction.emptiness == nil else { return }
    let secrets = file == Self.mistaken ? [] : try Self.secrets(path)
    let source = Array(try Data(contentsOf: URL(filePath: path)))
    let once = try Redacting.redacted(source, .pcapng).bytes
    let left = Haystack(Data(once))
    for secret in secrets { #expect(!left.holds(secret), "\(Hexadecimal.encode(secret))") }
    #expect(try Redacting.redacted(once, .pcapng).bytes == once)
    #expect(
      try CaptureRecording(bytes: once, file: file).reconstruction.links.map(\.attPDUs) == recording.reconstruction.links.map(\.attPDUs))
    if !ForeignCapturesTests.attacks.contains(file) { try Redacting.plays(once) }

    let extractor = ScenarioExtractor(recording)
    for subject in extractor.subjects {
      var redaction = ScenarioRedaction()
      let scenario = redaction.redacted(extractor.scenario(of: subject))
      let document = Haystack(Data(scenario.document()))
      for secret in secrets where !Self.isAttribute(secret, scenario) {
        #expect(!document.holds(secret), "\(Hexadecimal.encode(secret))")
      }
      if !ForeignCapturesTests.attacks.contains(file) { #expect(ScenarioReplay(scenario).differences == []) }
      var again = ScenarioRedaction()
      #expect(again.redacted(scenario) == scenario)
    }
  }

  /// A name that is also the format's or the specification's word says nothing of the device.
  private static func isAttribute(_ secret: [UInt8], _ scenario: Scenario) -> Bool {
    var nameless = scenario
    (nameless.device, nameless.sessions) = (Device(), [])
    return Redacting.holds(secret, Data(nameless.document()))
  }
}
