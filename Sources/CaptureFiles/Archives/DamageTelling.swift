/// A source that can be cut or damaged below what it hands out: its bytes end there, and it can be asked why.
protocol DamageTelling: ByteSource {
  /// One clause with the byte it was found at; `nil` as long as nothing is wrong. Complete once the bytes have ended.
  var damage: String? { get }
}

extension ByteSource {
  /// The damage of a source that can tell one.
  var toldDamage: String? { (self as? any DamageTelling)?.damage }

  /// All that is left, up to `limit` bytes; never reads further than that.
  mutating func readAll(upTo limit: Int) throws(CaptureError) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < limit {
      if try read(min(limit - bytes.count, InflatingSource.chunk), into: &bytes) == 0 { break }
    }
    return bytes
  }
}
