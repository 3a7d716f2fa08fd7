import GATTStack
import ReplayScenarios

/// Exchange MTU, as recorded or as faults have it.
extension PeripheralConnection {
  func exchangeMTU(_ client: Int, at now: AirInstant, faults: inout FaultSet, outputs: inout [Output]) {
    let entry = takeAssigned() ?? tape.consumeMTURequest(in: session)
    if let entry {
      if stopsEntry(entry, &faults, &outputs) { return }
      requested(entry, at: now)
    }
    let recorded = entry.map { session.entries[$0] }
    var (granted, latency, answers) = (device.mtu, recorded?.latency ?? .zero, 1)
    if case .mtu(let mtu)? = recorded?.answer { granted = Int(mtu) }
    var delay = Duration.zero
    while let due = takeWaiting(.exchangeMTU) {
      outputs.append(.fired(due))
      switch due.action {
      case .delayMTU(let time): delay += time
      case .duplicateMTU: answers = 2
      case .limitMTU(let limit): granted = min(granted, limit)
      default: break
      }
    }
    latency += delay
    var pdu = ATTPDU.exchangeMTUResponse(serverMTU: UInt16(clamping: granted)).bytes
    switch recorded?.answer {
    case .error(let error):
      pdu = ATTPDU.errorResponse(request: .exchangeMTURequest, handle: AttributeHandle(0), error: error).bytes
    case .pdu(let bytes): pdu = bytes
    case .some(.none):
      if let entry { schedule.add(.pass(entry), at: now, rank: entry) }
      return
    default:
      if delay > .zero {
        // Until it is answered, both ends keep to the old one (Core 5.4, Vol 3, Part F, 3.4.2.2).
        schedule.add(.agree(client: client, server: granted, bearer: bearer), at: now.advanced(by: latency), rank: .max)
      } else {
        server.agree(client: client, server: granted)
      }
    }
    for number in 0..<answers { respond(raw: pdu, after: latency, at: now, entry: number == 0 ? entry : nil) }
  }
}
