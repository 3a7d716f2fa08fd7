/// Writes tars entry by entry.
public struct TarBuilder {
  /// How a name that is too long, or a size that is to be stated elsewhere, is written.
  public enum Style: Sendable, CaseIterable { case posix, gnu, pax }

  public private(set) var bytes: [UInt8] = []
  private let style: Style

  public init(_ style: Style = .posix) { self.style = style }

  /// Adds a file.
  public mutating func file(_ name: String, _ content: [UInt8]) {
    switch style {
    case .posix:
      if name.utf8.count > 100, let slash = name.lastIndex(of: "/") {
        block(String(name[name.index(after: slash)...]), content, type: "0", prefix: String(name[..<slash]))
      } else {
        block(name, content, type: "0")
      }
    case .gnu:
      if name.utf8.count > 100 { block("././@LongLink", Array(name.utf8) + [0], type: "L") }
      block(String(name.prefix(100)), content, type: "0", binarySize: true)
    case .pax:
      block("PaxHeaders/x", Self.record("path", name) + Self.record("size", "\(content.count)") + Self.record("mtime", "1.5"), type: "x")
      block("x", content, type: "0", statedSize: 0)
    }
  }

  /// Adds an entry without content.
  public mutating func other(_ name: String, type: Character) { block(name, [], type: type) }

  /// Ends with two blocks of zeros.
  public mutating func end() { bytes += [UInt8](repeating: 0, count: 1024) }

  /// All at once.
  public static func archive(_ files: [(String, [UInt8])], _ style: Style = .posix) -> [UInt8] {
    var builder = TarBuilder(style)
    for (name, content) in files { builder.file(name, content) }
    builder.end()
    return builder.bytes
  }

  static func record(_ key: String, _ value: String) -> [UInt8] {
    let rest = " \(key)=\(value)\n"
    var length = rest.utf8.count + 1
    while "\(length)\(rest)".utf8.count != length { length += 1 }
    return Array("\(length)\(rest)".utf8)
  }

  private mutating func block(
    _ name: String, _ content: [UInt8], type: Character, prefix: String = "", binarySize: Bool = false, statedSize: Int? = nil
  ) {
    var header = [UInt8](repeating: 0, count: 512)
    func put(_ text: [UInt8], _ offset: Int) { header.replaceSubrange(offset..<(offset + text.count), with: text) }
    func octal(_ value: Int, _ width: Int) -> [UInt8] {
      let digits = Array(String(value, radix: 8).utf8)
      return [UInt8](repeating: 0x30, count: width - 1 - digits.count) + digits + [0]
    }
    put(Array(name.utf8), 0)
    put(octal(0o644, 8), 100)
    let size = statedSize ?? content.count
    put(binarySize ? [0x80, 0, 0, 0] + (0..<8).map { UInt8(truncatingIfNeeded: size >> (56 - 8 * $0)) } : octal(size, 12), 124)
    put([type.asciiValue ?? 0x30], 156)
    put(Array((style == .gnu ? "ustar  \0" : "ustar\u{0}00").utf8), 257)
    put(Array(prefix.utf8), 345)
    put([UInt8](repeating: 0x20, count: 8), 148)
    put(octal(header.reduce(0) { $0 + Int($1) }, 7), 148)
    bytes += header + content + [UInt8](repeating: 0, count: (512 - content.count % 512) % 512)
  }
}
