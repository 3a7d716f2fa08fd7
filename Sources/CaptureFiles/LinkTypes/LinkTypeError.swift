/// Why the bytes of one record are no packet that can be read.
package enum LinkTypeError: Error, Sendable, Hashable {
  /// Fewer bytes are there than the headers take.
  case tooShort(needed: Int, available: Int)
  /// A header tells a length that is less than its own fields take.
  case badHeaderLength(Int)
  /// The bits are as they were on the air, mixed with the channel's whitening.
  case notDewhitened
  /// The header has a version that is not known.
  case unsupportedVersion(Int)
  /// A message between a sniffer and its host, by its number: nothing from the air.
  case notAPacket(UInt8)
  /// Per-packet information around a link type that is not the LE link layer.
  case unsupportedInnerType(UInt32)
}

extension LinkTypeError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .tooShort(let needed, let available): "\(available) bytes are there, its headers take \(needed)"
    case .badHeaderLength(let length): "its header tells a length of \(length), less than its fields take"
    case .notDewhitened: "its bits are still whitened: record with a sniffer that removes the whitening"
    case .unsupportedVersion(let version): "its header has version \(version), which is not known"
    case .notAPacket(let number): "it is the sniffer's own message \(number), nothing from the air"
    case .unsupportedInnerType(let number): "it holds link type \(number), which is not the LE link layer"
    }
  }
}
