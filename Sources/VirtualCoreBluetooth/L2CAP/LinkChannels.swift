import BLEWire
import Foundation
import ReplayEngine

/// The channels of one link; only touched inside the air's lock.
final class LinkChannels: @unchecked Sendable {
  /// What our end of a channel takes, as a phone's does.
  private static let parameters = L2CAPChannelParameters(mtu: 2048, mps: 247, credits: 10)
  /// The longest SDU of a peripheral that tells none, in bytes.
  private static let usualLength = 2048

  private var opening: [Int: UInt16] = [:]
  private var open: [Int: ChannelPipe] = [:]

  /// Protocols whose channels are being opened.
  var awaited: [UInt16] { opening.sorted { $0.key < $1.key }.map(\.value) }

  /// Asks the peripheral for a channel.
  func open(psm: UInt16, on link: Int, in air: AirCore) {
    let channel = air.nextChannel(psm: psm, on: link)
    opening[channel] = psm
    air.perform(.openChannel(L2CAPChannelOpening(channel: channel, psm: psm, central: Self.parameters)), on: link)
  }

  /// How a request came out: a pipe, or the result of a refusal; `nil` for what none of ours was.
  func settled(
    _ procedure: LinkProcedure, _ outcome: LinkProcedure.Outcome, on link: Int, of air: VirtualAir
  ) -> (psm: UInt16, Result<ChannelPipe, ChannelRefusal>)? {
    guard case .openChannel(let opened) = procedure, let psm = opening.removeValue(forKey: opened.channel) else { return nil }
    switch outcome {
    case .failure(let result): return (psm, .failure(ChannelRefusal(result: result)))
    case .success:
      let pipe = ChannelPipe(
        air: air, link: link, channel: opened.channel, sduLength: opened.peripheral.map { Int($0.mtu) } ?? Self.usualLength,
        channels: self)
      open[opened.channel] = pipe
      return (psm, .success(pipe))
    }
  }

  /// The peripheral sent something over a channel, or closed it.
  func receive(_ procedure: LinkProcedure, in air: AirCore) {
    switch procedure {
    case .channelData(let channel, let bytes): open[channel]?.receive(bytes, in: air)
    case .closeChannel(let channel): open.removeValue(forKey: channel)?.end(.remote, in: air)
    default: break
    }
  }

  func remove(_ channel: Int) { open[channel] = nil }

  /// The link is gone, and all channels with it.
  func end(in air: AirCore) {
    let all = open.sorted { $0.key < $1.key }.map(\.value)
    (opening, open) = ([:], [:])
    for pipe in all { pipe.end(.link, in: air) }
  }
}

/// The result of a request for a channel that was refused (Core 5.4, Vol 3, Part A, 4.23).
struct ChannelRefusal: Error {
  var result: UInt16
}
