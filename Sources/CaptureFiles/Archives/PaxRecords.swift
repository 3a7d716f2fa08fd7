/// What a pax header says of the entry behind it: `{ length SP key "=" value LF }*`, the length in decimal and of the whole record.
struct PaxRecords: Hashable {
  private(set) var path: String?
  private(set) var size: Int?

  /// Reads as many records as there are whole ones.
  init(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while let space = rest.firstIndex(of: UInt8(ascii: " ")), let length = Self.decimal(rest[rest.startIndex..<space]),
      length > space - rest.startIndex + 1, length <= rest.count, rest[rest.startIndex + length - 1] == UInt8(ascii: "\n")
    {
      let record = rest[(space + 1)..<(rest.startIndex + length)].dropLast()
      if let equals = record.firstIndex(of: UInt8(ascii: "=")) {
        let value = record[(equals + 1)...]
        switch String(decoding: record[record.startIndex..<equals], as: UTF8.self) {
        case "path": path = String(decoding: value, as: UTF8.self)
        case "size": size = Self.decimal(value)
        default: break
        }
      }
      rest = rest.dropFirst(length)
    }
  }

  private static func decimal(_ digits: ArraySlice<UInt8>) -> Int? {
    guard (1...15).contains(digits.count), digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }
}
