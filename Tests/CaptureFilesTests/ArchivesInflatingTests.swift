import Foundation
import TestSupport
import Testing

@testable import CaptureFiles

struct ArchivesInflatingTests {
  static let text = Array((0..<4000).flatMap { "line \($0 * 7919 % 1000)\n".utf8 })

  /// Reads to the end in steps of `step`; counts what it holds at most at a time.
  static func drain(_ source: any ByteSource, step: Int = 1 << 18) throws -> [UInt8] {
    var source = source
    var bytes: [UInt8] = []
    while true {
      let before = bytes.count
      let got = try source.read(step, into: &bytes)
      #expect(got == bytes.count - before)
      #expect(got <= step)
      if got == 0 { return bytes }
    }
  }

  static func wrapping(_ wrapping: Deflate.Wrapping) -> InflatingSource.Wrapping {
    switch wrapping {
    case .gzip: .gzip
    case .zlib: .zlib
    case .raw: .raw
    }
  }

  @Test(arguments: Deflate.Wrapping.allCases, [1, 2, 7, 1000, 65_536, 1 << 20])
  func whatWasCompressedIsRead(wrapping: Deflate.Wrapping, step: Int) throws {
    for bytes in [[], [1], Self.text] as [[UInt8]] {
      let packed = Deflate.compress(bytes, wrapping)
      let source = InflatingSource(MemorySource(bytes: packed), Self.wrapping(wrapping))
      #expect(try Self.drain(source, step: step) == bytes)
      #expect(source.damage == nil)
      #expect(source.consumedByteCount == packed.count)
    }
  }

  @Test func membersStandInARow() throws {
    let packed = (0..<5).flatMap { Deflate.compress(Array("member \($0)\n".utf8), .gzip) } + Deflate.compress([], .gzip)
    for padding in [[], [0], [UInt8](repeating: 0, count: 10_000)] as [[UInt8]] {
      let source = InflatingSource(MemorySource(bytes: packed + padding), .gzip)
      #expect(try Self.drain(source) == Array((0..<5).flatMap { "member \($0)\n".utf8 }))
      #expect(source.damage == nil)
    }
    for rest in [[0x1F], [1, 2, 3]] as [[UInt8]] {
      let source = InflatingSource(MemorySource(bytes: packed + rest), .gzip)
      #expect(try Self.drain(source).count == 45)
      #expect(source.damage == "the compressed data ends at byte \(packed.count); what follows is no gzip and was left out")
    }
  }

  @Test(arguments: [Deflate.Wrapping.zlib, .raw])
  func whatFollowsIsLeftAlone(wrapping: Deflate.Wrapping) throws {
    let packed = Deflate.compress(Self.text, wrapping)
    let source = InflatingSource(MemorySource(bytes: packed + [9, 9, 9]), Self.wrapping(wrapping))
    #expect(try Self.drain(source) == Self.text)
    #expect(source.damage == nil)
    #expect(source.consumedByteCount == packed.count)
  }

  @Test(arguments: Deflate.Wrapping.allCases)
  func cutAtEveryByte(wrapping: Deflate.Wrapping) throws {
    let bytes = Array(Self.text.prefix(3000))
    let packed = Deflate.compress(bytes, wrapping)
    for end in 0..<packed.count {
      let source = InflatingSource(MemorySource(bytes: Array(packed.prefix(end))), Self.wrapping(wrapping))
      let read = try Self.drain(source)
      #expect(bytes.starts(with: read))
      #expect(source.damage == "the compressed data is cut at byte \(end)")
    }
  }

  @Test(arguments: Deflate.Wrapping.allCases)
  func damageNeverTraps(wrapping: Deflate.Wrapping) throws {
    var random = SeededGenerator(seed: 0x1F8B)
    let packed = Deflate.compress(Array(Self.text.prefix(3000)), wrapping)
    for _ in 0..<2000 {
      var bytes = packed
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
      }
      let source = InflatingSource(MemorySource(bytes: bytes), Self.wrapping(wrapping))
      let read = try Self.drain(source)
      // Checksums tell a changed byte; raw deflate has none.
      if wrapping != .raw, read != Array(Self.text.prefix(3000)) { #expect(source.damage != nil) }
    }
  }

  @Test func muchFromLittleIsHandedOutInSmallParts() throws {
    let packed = Deflate.compress([UInt8](repeating: 0, count: 10_000_000), .gzip, level: 9)
    #expect(packed.count < 20_000)
    let source = InflatingSource(MemorySource(bytes: packed), .gzip)
    var (total, buffer): (Int, [UInt8]) = (0, [])
    while true {
      buffer.removeAll(keepingCapacity: true)
      let got = try source.read(.max, into: &buffer)
      #expect(got <= InflatingSource.chunk)
      total += got
      if got == 0 { break }
    }
    #expect(total == 10_000_000)
    #expect(source.damage == nil)
  }
}
