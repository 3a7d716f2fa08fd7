import CaptureFiles
import ReplayEngine
import ReplayScenarios
import ScenarioExtraction
import SessionReconstruction
import TestSupport
import Testing

/// The project's own recordings as a sniffer would have heard them give the scenarios that the hosts' logs give.
struct AirScenarioTests {
  private final class Collector: ATTObserver {
    var pdus: [(event: ATTEvent, bytes: [UInt8])] = []
    /// The payload lengths that the ends agreed on.
    var lengths: [LinkEvent] = []
    func observe(_ event: ATTEvent, pdu: RawSpan) { pdus.append((event, pdu.array)) }
    func observe(_ event: LinkEvent) { if case .updateDataLength = event.procedure { lengths.append(event) } }
  }

  /// Every PDU is completed at the moment of the host's record; a packet of the other end stands beside each of its fragments.
  private static func air(_ name: String, _ form: AirBuilder.Form) throws -> [UInt8] {
    let collector = Collector()
    let capture = try Reconstruction(path: Repository.capture(name), observer: collector)
    var builder = AirBuilder(form)
    builder.time = try #require(capture.links.first?.start)
    builder.pass(-1_000_000)
    for advertiser in capture.advertisers.values {
      builder.advertise(.init(.undirected, .advertisement(advertiser: advertiser.address, data: advertiser.data)))
      if let response = advertiser.scanResponse {
        builder.advertise(.init(.scanResponse, .advertisement(advertiser: advertiser.address, data: response)))
      }
    }
    for link in capture.links {
      builder.time = link.start
      let address = AccessAddress(rawValue: 0x5065_6A00 + UInt32(link.index))
      builder.connect(address, peer: link.peer, interval: link.initialInterval, timeout: link.initialTimeout)
      func event(_ payload: AirBuilder.Payload, _ sender: LinkRole) {
        builder.send(sender == .central ? payload : .empty, .central, nesn: builder.bit)
        builder.send(sender == .peripheral ? payload : .empty, .peripheral, nesn: !builder.bit)
        builder.bit.toggle()
      }
      var lengths = collector.lengths.filter { $0.link == link.index }[...]
      for (pdu, bytes) in collector.pdus where pdu.link == link.index {
        while let next = lengths.first, next.position < pdu.number {
          lengths = lengths.dropFirst()
          guard case .updateDataLength(let central, let peripheral) = next.procedure else { continue }
          builder.time = next.time
          event(.control(Self.length(0x14, receive: peripheral, send: central)), .central)
          event(.control(Self.length(0x15, receive: central, send: peripheral)), .peripheral)
        }
        builder.time = pdu.time
        var (rest, isFirst) = (CaptureBuilder.l2cap(bytes)[...], true)
        while !rest.isEmpty {
          event(.init(isFirst ? .start : .continuing, Array(rest.prefix(27))), pdu.sender)
          (rest, isFirst) = (rest.dropFirst(27), false)
        }
      }
      let end = try #require(link.end)
      switch link.endReason {
      case .connectionTimeout:
        builder.time = CaptureTime(microseconds: end.microseconds - Int64(link.timeout) * 10_000)
        event(.empty, .central)
      case .connectionTerminatedByLocalHost:
        builder.time = end
        event(.control(hex("02 13")), .central)
      default:
        builder.time = end
        event(.control([0x02, try #require(link.endReason).rawValue]), .peripheral)
      }
    }
    return builder.bytes
  }

  /// LL_LENGTH_REQ or LL_LENGTH_RSP: `opcode(1) maxRXOctets(2) maxRXTime(2) maxTXOctets(2) maxTXTime(2)`.
  private static func length(_ opcode: UInt8, receive: UInt16, send: UInt16) -> [UInt8] {
    [opcode] + [receive, 2120, send, 2120].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
  }

  private static func scenarios(_ recording: CaptureRecording) -> [Scenario] {
    let extractor = ScenarioExtractor(recording)
    return extractor.subjects.map { subject in
      var scenario = extractor.scenario(of: subject)
      scenario.origin = nil
      scenario.device.advertising?.rssi = 0
      return scenario
    }
  }

  @Test(arguments: Repository.captureNames, AirBuilder.Form.allCases)
  func aSniffersScenarioIsTheHosts(name: String, form: AirBuilder.Form) throws {
    let heard = try CaptureRecording(bytes: try Self.air(name, form), file: "air.pcap")
    let logged = try CaptureRecording(path: Repository.capture(name))
    #expect(heard.reconstruction.links.map(\.attPDUs) == logged.reconstruction.links.map(\.attPDUs))
    let (ours, theirs) = (Self.scenarios(heard), Self.scenarios(logged))
    #expect(ours.count == theirs.count)
    for (our, their) in zip(ours, theirs) {
      let (left, right) = (
        String(decoding: our.document(), as: UTF8.self).split(separator: "\n"),
        String(decoding: their.document(), as: UTF8.self).split(separator: "\n")
      )
      #expect(left.count == right.count)
      let differing = zip(left, right).filter { $0 != $1 }
      #expect(differing.isEmpty, "\(differing.prefix(4))")
    }
    let extractor = ScenarioExtractor(heard)
    let scenario = extractor.scenario(of: try #require(extractor.subjects.first))
    #expect(scenario.origin?.capturedAt == .air)
    let read = try Scenario(reading: scenario.document(), file: "air")
    #expect(read.origin?.capturedAt == .air)
    #expect(CaptureComparison(ScenarioReplay(read).trafficBySession, of: read, with: heard).differences == [])
  }
}
