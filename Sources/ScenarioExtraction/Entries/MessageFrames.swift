import ReplayScenarios
import SessionReconstruction

/// How a device divides what it tells into messages where one does not fit into a notification.
///
/// A message that goes over several notifications is known by its first and last byte, which the app's writes have, too: what all
/// requests begin and end with, the answers do as well. Where nothing of the kind is seen, each notification is a message.
struct MessageFrames {
  struct Frame: Equatable {
    var first: UInt8
    var last: UInt8
  }

  private var frames = HandleTable<Frame>()
  private var isEmpty = true

  /// How many bytes decide, and how many entries behind the first are looked at for them.
  static let width = 16
  private static let reach = 64

  init(_ builder: EntryBuilder, configurations: HandleTable<AttributeHandle>) {
    let candidates = Self.candidates(builder, configurations)
    guard !candidates.isEmpty else { return }
    for frame in candidates.prefix(4) {
      for attribute in Self.attributes(of: frame, builder) where frames[attribute] == nil {
        frames[attribute] = frame
        isEmpty = false
      }
    }
  }

  /// What nearly all writes to an attribute begin and end with.
  private static func candidates(_ builder: EntryBuilder, _ configurations: HandleTable<AttributeHandle>) -> [Frame] {
    var counts = HandleTable<(frame: Frame, equal: Int, all: Int)>()
    var handles: [AttributeHandle] = []
    for outline in builder.outlines where outline.isWrite && outline.long < 0 {
      let value = builder.value(outline)
      guard value.byteCount > 1, let handle = builder.recording.pdus[Int(outline.first)].attribute, configurations[handle] == nil else {
        continue
      }
      let frame = Frame(first: value.uint8(at: 0), last: value.uint8(at: value.byteCount - 1))
      guard var count = counts[handle] else {
        handles.append(handle)
        counts[handle] = (frame, 1, 1)
        continue
      }
      // The majority, if there is one, survives.
      count.all += 1
      if count.frame == frame {
        count.equal += 1
      } else if count.equal == 0 {
        (count.frame, count.equal) = (frame, 1)
      } else {
        count.equal -= 1
      }
      counts[handle] = count
    }
    return handles.compactMap { counts[$0] }.filter { $0.all >= 4 && $0.equal * 10 >= $0.all * 8 }.map(\.frame)
  }

  /// Attributes whose notifications begin with the frame's first byte only behind one that ended with its last.
  private static func attributes(of frame: Frame, _ builder: EntryBuilder) -> [AttributeHandle] {
    struct Count {
      var told = 0
      var begun = 0
      var wrong = 0
      var isEnded = true
    }
    var counts = HandleTable<Count>()
    var attributes: [AttributeHandle] = []
    for outline in builder.outlines where outline.isTold {
      guard let attribute = builder.recording.pdus[Int(outline.first)].attribute else { continue }
      let value = builder.value(outline)
      guard value.byteCount > 0 else { continue }
      if counts[attribute] == nil { attributes.append(attribute) }
      var count = counts[attribute, default: Count()]
      count.told += 1
      if value.uint8(at: 0) == frame.first {
        if count.isEnded { count.begun += 1 } else { count.wrong += 1 }
      } else if count.isEnded {
        count.wrong += 1
      }
      count.isEnded = value.uint8(at: value.byteCount - 1) == frame.last
      counts[attribute] = count
    }
    return attributes.filter { attribute in
      guard let count = counts[attribute] else { return false }
      return count.begun >= 1 && count.told > count.begun && count.wrong * 20 <= count.told
    }
  }

  /// Whether an entry begins a message, where `previous` is the one before on its attribute.
  func begins(_ entry: Int, after previous: Int?, _ builder: EntryBuilder) -> Bool {
    guard !isEmpty, let previous, let attribute = builder.recording.pdus[Int(builder.outlines[entry].first)].attribute,
      let frame = frames[attribute]
    else { return true }
    let before = builder.value(builder.outlines[previous])
    // A message may also begin behind the end of another in one notification; the next goes on with it.
    return before.byteCount == 0 || before.uint8(at: before.byteCount - 1) == frame.last || Self.beginning(of: frame, in: before) != nil
  }

  /// Where, behind a frame's end, the next begins in a value.
  private static func beginning(of frame: Frame, in value: RawSpan) -> Int? {
    guard value.byteCount > 1 else { return nil }
    for place in 1..<value.byteCount where value.uint8(at: place) == frame.first && value.uint8(at: place - 1) == frame.last {
      return place
    }
    return nil
  }

  /// The first bytes of the message that begins with an entry, where `previous` is the one before on its attribute.
  func bytes(of entry: Int, after previous: Int?, _ builder: EntryBuilder) -> MessageBytes {
    var bytes = MessageBytes()
    let outline = builder.outlines[entry]
    guard !isEmpty, let attribute = builder.recording.pdus[Int(outline.first)].attribute, let frame = frames[attribute] else {
      bytes.append(builder.value(outline))
      return bytes
    }
    if let previous {
      let before = builder.value(builder.outlines[previous])
      if let place = Self.beginning(of: frame, in: before) { bytes.append(before.suffix(from: place)) }
    }
    for place in entry..<min(builder.outlines.count, entry + Self.reach) where bytes.count < Self.width {
      let next = builder.outlines[place]
      guard next.isTold, builder.recording.pdus[Int(next.first)].attribute == attribute else { continue }
      let value = builder.value(next)
      bytes.append(value)
      if value.byteCount > 0, value.uint8(at: value.byteCount - 1) == frame.last { break }
    }
    return bytes
  }
}

/// The first bytes of a request or a message, in a fixed place.
struct MessageBytes {
  private var storage = SIMD16<UInt8>()
  private(set) var count = 0

  init() {}

  init(_ value: RawSpan) { append(value) }

  subscript(place: Int) -> UInt8? { place < count ? storage[place] : nil }

  mutating func append(_ value: RawSpan) {
    for place in 0..<min(value.byteCount, MessageFrames.width - count) {
      storage[count] = value.uint8(at: place)
      count += 1
    }
  }
}
