public import BLEWire
import ByteParsing

/// What stands for what somebody will not give away: addresses, names, keys and values, each for as many bytes.
///
/// Pseudonyms are counted in the order in which the originals are met, so that the same input gives the same output, nothing can be
/// computed back, and what is redacted once stays as it is when it is redacted again.
public struct Pseudonyms: Sendable {
  private var addresses: [UInt64: UInt64] = [:]
  private var names: [[UInt8]: [UInt8]] = [:]
  private var nameCounts: [Int: Int] = [:]
  /// The first of them in order. Whoever has more names hides none of them.
  private var firstNames: [[UInt8]] = []
  private static let firstNameLimit = 1000
  private var values: [[UInt8]: [UInt8]] = [:]
  /// How many values of each length have a pseudonym: numbers that are counted for each length fit into short ones, too.
  private var valueCounts: [Int: Int] = [:]
  /// What is looked for, and what stands for it.
  private var patterns: [[UInt8]: [UInt8]] = [:]
  /// The lengths of what begins with the same four bytes, in order: addresses of one maker all begin alike.
  private var lengths: [UInt32: [Int]] = [:]
  /// Of all patterns: what is none of them is told without a look at each length by itself.
  private var fingerprints: Set<UInt64> = []
  /// Shorter names are too likely to stand anywhere by chance; they are replaced only where a name has to be.
  private static let shortestSearched = 4
  /// Addresses of a hostile capture are not counted by anybody else.
  private static let limit = 100_000

  /// None yet.
  public init() {}

  // MARK: Originals

  /// The pseudonym of an address, with its kind of random address; no address and the broadcast one stand for themselves.
  @discardableResult
  public mutating func address(_ address: BluetoothAddress) -> BluetoothAddress {
    guard address.value != 0, address.value != 0xFFFF_FFFF_FFFF else { return address }
    if let known = addresses[address.value] { return BluetoothAddress(known, kind: address.kind) }
    let value = Self.pseudonym(of: address.value, min(addresses.count + 1, Self.limit))
    guard addresses.count < Self.limit else { return BluetoothAddress(value, kind: address.kind) }
    addresses[address.value] = value
    for (from, to) in zip(Self.forms(address.value), Self.forms(value)) { add(from, to) }
    return BluetoothAddress(value, kind: address.kind)
  }

  /// The forms in which an address may stand: its octets in both orders, and text, as in names and serial numbers.
  private static func forms(_ address: UInt64) -> [[UInt8]] {
    let octets = bytes(address)
    return [octets, octets.reversed()]
      + [":", "-", ""].flatMap { separator -> [[UInt8]] in
        let text = octets.map { Hexadecimal.encode([$0]) }.joined(separator: separator)
        return [Array(text.uppercased().utf8), Array(text.lowercased().utf8)]
      }
  }

  /// The two upper bits tell what a random address is; the bit after says that nobody was assigned it.
  private static func pseudonym(of address: UInt64, _ number: Int) -> UInt64 {
    address & 0xC000_0000_0000 | 0x0200_0000_0000 | UInt64(number)
  }

  private static func bytes(_ address: UInt64) -> [UInt8] { (0..<6).map { UInt8(truncatingIfNeeded: address >> UInt64(40 - 8 * $0)) } }

  /// The pseudonym of a name, of the same length in UTF-8.
  @discardableResult
  public mutating func name(_ name: [UInt8]) -> [UInt8] {
    if let known = names[name] { return known }
    // Counted for each length, since of short ones there are few.
    let number = nameCounts[name.count, default: 0] + 1
    let replacement = Self.text("Device ", number, like: name)
    guard names.count < Self.limit, !name.isEmpty else { return replacement }
    nameCounts[name.count] = number
    names[name] = replacement
    if firstNames.count < Self.firstNameLimit { firstNames.append(name) }
    // What is no text stands anywhere by chance.
    if name.count >= Self.shortestSearched, name.allSatisfy({ $0 >= 0x20 }) {
      add(name, replacement)
    }
    return replacement
  }

  /// The pseudonym of any other secret, of the same length: a key, a serial number, a measured value.
  ///
  /// With `everywhere` it is replaced wherever it stands, in both byte orders, as keys are; else only where the caller puts it.
  @discardableResult
  public mutating func value(_ value: [UInt8], everywhere: Bool = false) -> [UInt8] {
    if let known = values[value] { return known }
    // Shorter ones could be text by chance, and would be others when they are redacted again.
    let isText = value.count >= Self.shortestSearched && value.allSatisfy { (0x20..<0x7F).contains($0) }
    let number = valueCounts[value.count, default: 0] + 1
    let replacement = isText ? Self.text("Value ", number, like: value) : Self.binary(number, count: value.count)
    guard values.count < Self.limit, !value.isEmpty else { return replacement }
    valueCounts[value.count] = number
    values[value] = replacement
    if everywhere, value.count >= Self.shortestSearched {
      add(value, replacement)
      add(value.reversed(), replacement.reversed())
    }
    return replacement
  }

  /// The pseudonym of a key; one of equal octets is none.
  @discardableResult
  package mutating func key(_ key: [UInt8]) -> [UInt8] {
    key.allSatisfy { $0 == key.first } ? key : value(key, everywhere: true)
  }

  /// Learns the names and addresses in advertising data, also a name that is cut at its end.
  package mutating func learn(advertising data: [UInt8]) {
    let parsed = AdvertisingData(parsing: data)
    for structure in parsed.structures {
      switch structure.type {
      case 0x08, 0x09: name(structure.data)
      // LE Bluetooth Device Address, with its type, and Public and Random Target Addresses.
      case 0x1B where structure.data.count == 7: address(Self.address(structure.data[0..<6]))
      case 0x17, 0x18:
        for start in stride(from: 0, through: structure.data.count - 6, by: 6) {
          address(Self.address(structure.data[start..<(start + 6)]))
        }
      default: break
      }
    }
    if let cut = Self.cutName(parsed.trailing) { name(cut) }
  }

  private static func address(_ bytes: ArraySlice<UInt8>) -> BluetoothAddress {
    BluetoothAddress(bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }, kind: .random)
  }

  private static func cutName(_ trailing: [UInt8]) -> [UInt8]? {
    trailing.count > 2 && [0x08, 0x09].contains(trailing[1]) ? Array(trailing.dropFirst(2)) : nil
  }

  /// Gives other pseudonyms to addresses; `change` tells the new one for an address and its pseudonym, or `nil`.
  package mutating func rename(_ change: (_ original: UInt64, _ pseudonym: UInt64) -> UInt64?) {
    for (original, old) in addresses {
      guard let new = change(original, old), new != old else { continue }
      addresses[original] = new
      for (from, to) in zip(Self.forms(original), Self.forms(new)) {
        patterns[from] = nil
        add(from, to)
      }
    }
  }

  // MARK: What is known

  /// The octets of an address's pseudonym, the least significant first.
  package mutating func bytes(of address: BluetoothAddress) -> [UInt8] { Self.bytes(self.address(address).value).reversed() }

  /// The pseudonym of a part of a name, as long reads and cut answers have it: the same part of the name's, where that is known.
  package mutating func part(ofName part: [UInt8], at offset: Int) -> [UInt8] {
    if offset == 0, let whole = names[part] { return whole }
    for name in firstNames where name.count >= offset + part.count {
      let range = offset..<(offset + part.count)
      if name[range].elementsEqual(part), let whole = names[name] { return Array(whole[range]) }
    }
    return value(part)
  }

  /// A word and a number, filled up or cut to a length; the number stays.
  private static func text(_ word: String, _ number: Int, like original: [UInt8]) -> [UInt8] {
    let digits = Array(String(number).utf8)
    let room = max(0, original.count - digits.count)
    let filler = Array(word.utf8) + [UInt8](repeating: UInt8(ascii: "-"), count: max(0, room - word.utf8.count))
    return Array((filler.prefix(room) + digits).suffix(original.count))
  }

  private static func binary(_ number: Int, count: Int) -> [UInt8] {
    let digits = (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    return (0..<count).map { $0 < 8 ? digits[$0] : 0 }
  }

  private mutating func add(_ original: [UInt8], _ replacement: [UInt8]) {
    guard original != replacement, let key = Self.key(original[...]) else { return }
    patterns[original] = replacement
    fingerprints.insert(original.reduce(Self.noFingerprint, Self.fingerprint))
    guard lengths[key]?.contains(original.count) != true else { return }
    lengths[key, default: []].append(original.count)
    lengths[key]?.sort()
  }

  /// FNV-1a, byte by byte.
  private static let noFingerprint: UInt64 = 0xCBF2_9CE4_8422_2325
  private static func fingerprint(_ before: UInt64, _ byte: UInt8) -> UInt64 { (before ^ UInt64(byte)) &* 0x100_0000_01B3 }

  private static func key(_ bytes: ArraySlice<UInt8>) -> UInt32? {
    guard bytes.count >= 4 else { return nil }
    return bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  }

  // MARK: Replacing

  /// The bytes with every original in them replaced.
  public func replaced(_ bytes: [UInt8]) -> [UInt8] {
    guard !patterns.isEmpty, bytes.count >= Self.shortestSearched else { return bytes }
    var result = bytes
    var place = 0
    while let key = Self.key(result[place...]) {
      if let lengths = lengths[key], let found = replacement(in: result[place...], lengths) {
        result.replaceSubrange(place..<(place + found.count), with: found)
        place += found.count
      } else {
        place += 1
      }
    }
    return result
  }

  /// What stands for the longest pattern that the bytes begin with.
  private func replacement(in bytes: ArraySlice<UInt8>, _ lengths: [Int]) -> [UInt8]? {
    var found: [UInt8]?
    var (fingerprint, count) = (Self.noFingerprint, 0)
    for length in lengths {
      guard length <= bytes.count else { break }
      for byte in bytes[(bytes.startIndex + count)..<(bytes.startIndex + length)] { fingerprint = Self.fingerprint(fingerprint, byte) }
      count = length
      if fingerprints.contains(fingerprint), let replacement = patterns[Array(bytes.prefix(length))] { found = replacement }
    }
    return found
  }

  /// Advertising data with its names and every other original replaced; see ``learn(advertising:)``.
  package mutating func replaced(advertising data: [UInt8]) -> [UInt8] {
    var parsed = AdvertisingData(parsing: data)
    for place in parsed.structures.indices where [0x08, 0x09].contains(parsed.structures[place].type) {
      parsed.structures[place].data = name(parsed.structures[place].data)
    }
    if let cut = Self.cutName(parsed.trailing) { parsed.trailing.replaceSubrange(2..., with: name(cut)) }
    // Zeros that filled the packet stay.
    let bytes = parsed.bytes
    return replaced(bytes + data.dropFirst(bytes.count))
  }
}
