import ByteParsing

/// Writes zips entry by entry, right or wrong as a test wants.
public struct ZipBuilder {
  /// What an entry states about itself.
  public struct Entry {
    public var name: String
    public var content: [UInt8]
    public var method: UInt16 = 8
    public var flags: UInt16 = 0
    public var checksum: UInt32?
    public var statedByteCount: Int?
    /// Sizes in the local header are left zero and follow the data instead, as writers to a pipe do.
    public var hasDescriptor = false
    /// Sizes and offset stand in a zip64 field.
    public var isLarge = false

    public init(_ name: String, _ content: [UInt8], method: UInt16 = 8) { (self.name, self.content, self.method) = (name, content, method) }
  }

  public var entries: [Entry] = []
  /// Whether the directory's own end is written in its zip64 form, too.
  public var isLarge = false
  public var comment: [UInt8] = []
  /// Overrides the count of entries in the end record.
  public var statedCount: Int?

  public init(_ entries: [(String, [UInt8])] = [], method: UInt16 = 8) {
    self.entries = entries.map { Entry($0.0, $0.1, method: method) }
  }

  /// The archive.
  public var bytes: [UInt8] {
    var (file, directory) = (ByteWriter(), ByteWriter())
    for entry in entries {
      let offset = file.bytes.count
      let data = entry.method == 8 ? Deflate.compress(entry.content, .raw) : entry.content
      let checksum = entry.checksum ?? Deflate.checksum(entry.content)
      let size = UInt64(entry.statedByteCount ?? entry.content.count)
      let flags = entry.flags | (entry.hasDescriptor ? 8 : 0)
      file.uint32(0x0403_4B50)
      for value in [20, flags, entry.method, 0, 0x5821] { file.uint16(value) }
      for value in [checksum, UInt32(data.count), UInt32(clamping: size)] { file.uint32(entry.hasDescriptor ? 0 : value) }
      file.uint16(UInt16(entry.name.utf8.count))
      file.uint16(4)
      file.append(Array(entry.name.utf8) + [0xFE, 0xCA, 0, 0] + data)
      if entry.hasDescriptor { for value in [0x0807_4B50, checksum, UInt32(data.count), UInt32(size)] { file.uint32(value) } }

      var extra = ByteWriter()
      if entry.isLarge {
        extra.uint32(0x0000_9999)
        extra.uint16(1)
        extra.uint16(24)
        for value in [size, UInt64(data.count), UInt64(offset)] { extra.uint64(value) }
      }
      directory.uint32(0x0201_4B50)
      for value in [20, 20, flags, entry.method, 0, 0x5821] { directory.uint16(value) }
      directory.uint32(checksum)
      directory.uint32(entry.isLarge ? .max : UInt32(data.count))
      directory.uint32(entry.isLarge ? .max : UInt32(clamping: size))
      for value in [entry.name.utf8.count, extra.bytes.count, 3, 0, 0] { directory.uint16(UInt16(value)) }
      directory.uint32(0)
      directory.uint32(entry.isLarge ? .max : UInt32(offset))
      directory.append(Array(entry.name.utf8) + extra.bytes + Array("why".utf8))
    }
    let (start, count) = (file.bytes.count, statedCount ?? entries.count)
    file.append(directory.bytes)
    if isLarge {
      let place = file.bytes.count
      file.uint32(0x0606_4B50)
      file.uint64(44)
      file.uint32(0)
      file.uint64(0)
      for value in [count, count, directory.bytes.count, start] { file.uint64(UInt64(value)) }
      file.uint32(0x0706_4B50)
      file.uint32(0)
      file.uint64(UInt64(place))
      file.uint32(1)
    }
    file.uint32(0x0605_4B50)
    file.uint32(0)
    for _ in 0..<2 { file.uint16(isLarge ? .max : UInt16(count)) }
    for value in [directory.bytes.count, start] { file.uint32(isLarge ? .max : UInt32(value)) }
    file.uint16(UInt16(comment.count))
    file.append(comment)
    return file.bytes
  }
}
