import BLEWire
import Foundation
import ReplayEngine

/// What the two streams of a channel share: the bytes that came, room for those that go, and how the channel ended.
final class ChannelPipe: @unchecked Sendable {
  /// How a channel ended.
  enum End {
    /// The peripheral closed it, the app did, or the link ended.
    case remote, local, link

    /// What a stream tells as its error; a link's end is the end of the bytes, and no error.
    var error: NSError? {
      switch self {
      case .remote: ErrorMapping.channel(431, "The channel was closed by the peripheral.")
      case .local: ErrorMapping.channel(436, "The channel was closed.")
      case .link: nil
      }
    }
  }

  /// How many bytes may wait to be sent; what is received is bounded by what the scenario holds.
  private static let room = 0x1_0000

  let air: VirtualAir
  let link: Int
  let channel: Int
  /// The longest SDU that the peripheral takes, in bytes.
  private let sduLength: Int
  private weak var channels: LinkChannels?
  // Touched with the condition held, as what follows is.
  private let condition = NSCondition()
  private var received: [UInt8] = []
  private var readFrom = 0
  private var unsent = 0
  private var ended: End?
  private var ports: [StreamPort] = []

  init(air: VirtualAir, link: Int, channel: Int, sduLength: Int, channels: LinkChannels) {
    (self.air, self.link, self.channel, self.sduLength) = (air, link, channel, max(1, sduLength))
    self.channels = channels
  }

  private func locked<Result>(_ body: () -> Result) -> Result {
    condition.lock()
    defer { condition.unlock() }
    return body()
  }

  /// Makes a stream's part known, so that it hears what happens.
  func attach(_ port: StreamPort) { locked { ports.append(port) } }

  // MARK: - What the app does

  var hasBytes: Bool { locked { readFrom < received.count } }
  var hasRoom: Bool { locked { ended == nil && unsent < Self.room } }
  /// How it ended; for a reader only once all that came was read.
  func end(ofReading: Bool) -> End? { locked { ofReading && readFrom < received.count ? nil : ended } }

  /// Takes up to `count` bytes that came; waits for some, but on the main thread, on which the air may depend.
  func read(_ count: Int) -> ArraySlice<UInt8> {
    condition.lock()
    defer { condition.unlock() }
    while readFrom >= received.count, ended == nil, !VirtualAir.isOnMain, ports.contains(where: { $0.isReading && $0.isOpen }) {
      condition.wait()
    }
    let part = received[min(readFrom, received.count)...].prefix(max(0, count))
    readFrom += part.count
    if readFrom >= received.count { (received, readFrom) = ([], 0) }
    return part
  }

  /// Sends bytes as SDUs; tells how many there was room for.
  func write(_ bytes: [UInt8]) -> Int {
    let taken = locked { () -> ArraySlice<UInt8> in
      guard ended == nil else { return [] }
      let part = bytes.prefix(Self.room - unsent)
      unsent += part.count
      return part
    }
    guard !taken.isEmpty else { return 0 }
    air.enqueue { [self] air in
      var rest = taken
      while !rest.isEmpty {
        air.perform(.channelData(channel: channel, Array(rest.prefix(sduLength))), on: link)
        rest = rest.dropFirst(sduLength)
      }
      locked { unsent -= taken.count }
      for port in allPorts where !port.isReading { port.note(.hasSpaceAvailable, in: air) }
    }
    return taken.count
  }

  /// The app gives the channel up.
  func close() {
    guard locked({ ended == nil }) else { return }
    air.enqueue { [self] air in
      guard locked({ ended == nil }) else { return }
      air.perform(.closeChannel(channel), on: link)
      channels?.remove(channel)
      end(.local, in: air)
    }
  }

  // MARK: - What the air tells

  private var allPorts: [StreamPort] { locked { ports } }

  func receive(_ bytes: [UInt8], in air: AirCore) {
    locked {
      received += bytes
      condition.broadcast()
    }
    for port in allPorts where port.isReading { port.note(.hasBytesAvailable, in: air) }
  }

  func end(_ end: End, in air: AirCore) {
    locked {
      ended = ended ?? end
      condition.broadcast()
    }
    for port in allPorts { port.noteEnd(in: air) }
  }

  /// Wakes who waits for bytes, for its stream is closed.
  func wakeReaders() { locked { condition.broadcast() } }
}
