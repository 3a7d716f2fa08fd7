import ByteParsing

/// What the header of one record says, whatever the container.
struct RecordHeader {
  /// Bytes of the packet that are in the file, and that it had.
  var included: Int
  var original: Int
  /// Packets lost since the capture began.
  var drops: UInt32 = 0
  var time: CaptureTime
  /// What the container says of the packet; `nil` where the packet says it itself, with its H4 indicator.
  var kind: CaptureRecord.Kind?
  var direction: CaptureRecord.Direction
  var adapter: UInt16 = 0
}
