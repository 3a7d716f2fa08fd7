import GATTStack
import ReplayScenarios

/// The channels that carry ATT: the fixed one, and those of Enhanced ATT that the central opened.
extension PeripheralConnection {
  /// The channel that an entry goes over: its own where the central has opened that, else the fixed one.
  func bearer(of entry: TimelineEntry) -> Int {
    entry.bearer.flatMap { $0 == bearer || bearerMTUs[$0] != nil ? $0 : nil } ?? 0
  }

  /// Takes another channel in hand, with its MTU.
  func select(_ number: Int) {
    guard number != bearer else { return }
    bearerMTUs[bearer] = server.mtu
    bearer = number
    server.mtu = bearerMTUs[number] ?? 23
  }

  /// A channel of Enhanced ATT was opened.
  func addBearer(_ opening: L2CAPChannelOpening) {
    if opening.channel == bearer { server.mtu = opening.attributeMTU } else { bearerMTUs[opening.channel] = opening.attributeMTU }
  }

  /// A channel was closed; what is still to go over it goes over the fixed one.
  func removeBearer(_ channel: Int) {
    if channel == bearer { select(0) }
    bearerMTUs[channel] = nil
  }
}
