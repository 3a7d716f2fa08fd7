/// One capture file inside something: a plain file, an entry of a zip, of a tar.
struct CaptureSegment: Sendable {
  /// For messages: the archive and, in parentheses, the place in it.
  var name: String
  /// The first bytes, where they are known without opening it.
  var beginning: [UInt8]?
  /// Starts over from its first byte.
  var open: @Sendable () throws(CaptureError) -> any ByteSource

  /// Joins the parts.
  init(name: String, beginning: [UInt8]? = nil, open: @escaping @Sendable () throws(CaptureError) -> any ByteSource) {
    (self.name, self.beginning, self.open) = (name, beginning, open)
  }

  /// The first `count` bytes, or as many as there are.
  func firstBytes(_ count: Int) throws(CaptureError) -> [UInt8] {
    if let beginning { return Array(beginning.prefix(count)) }
    var source = try open()
    return try source.readAll(upTo: count)
  }

  /// The same, with gzip taken off.
  var inflated: CaptureSegment {
    CaptureSegment(name: name) { [open] () throws(CaptureError) -> any ByteSource in InflatingSource(try open(), .gzip) }
  }
}

extension CaptureSegment {
  /// The same, read from a snooz as btsnoop.
  var fromSnooz: CaptureSegment {
    CaptureSegment(name: name) { [name, open] () throws(CaptureError) -> any ByteSource in try SnoozSource(try open(), file: name) }
  }

  /// The same, with the snooz in a bug report's text read as btsnoop.
  var fromSnoozText: CaptureSegment {
    CaptureSegment(name: name) { [name, open] () throws(CaptureError) -> any ByteSource in try SnoozText.open(try open(), file: name) }
  }
}
