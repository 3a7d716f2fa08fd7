import ReplayScenarios
import Testing

@Suite struct WriteMatcherTests {
  @Test(arguments: [
    (WriteMatcher.exact, [1, 2, 3] as [UInt8], true), (.exact, [1, 2], false), (.mask([0xFF, 0x00, 0x0F]), [1, 9, 0xF3], true),
    (.mask([0xFF, 0x00, 0x0F]), [1, 9, 0xF4], false), (.mask([0xFF, 0x00, 0x0F]), [1, 9], false), (.mask([0xFF]), [1, 2, 3], false),
    (.prefix(2), [1, 2], true), (.prefix(2), [1, 2, 7, 7, 7], true), (.prefix(2), [1], false), (.prefix(0), [], true),
    (.prefix(4), [1, 2, 3, 4], false), (.prefix(-1), [1, 2, 3], false), (.length, [9, 9, 9], true), (.length, [1, 2], false),
    (.any, [], true), (.counter(at: 1, bytes: 1, bigEndian: false), [1, 77, 3], true),
    (.counter(at: 1, bytes: 1, bigEndian: false), [2, 77, 3], false), (.counter(at: 1, bytes: 1, bigEndian: false), [1, 77], false),
    (.counter(at: 2, bytes: 2, bigEndian: false), [1, 2, 3], false), (.counter(at: .max, bytes: 8, bigEndian: true), [1, 2, 3], false),
    (.counter(at: 0, bytes: 9, bigEndian: true), [1, 2, 3], false), (.counter(at: -1, bytes: 1, bigEndian: true), [1, 2, 3], false),
  ])
  func acceptsInPlaceOf010203(matcher: WriteMatcher, value: [UInt8], expected: Bool) {
    #expect(matcher.accepts(value, for: [1, 2, 3]) == expected)
  }

  /// From the second write on a counter goes on by as much as it did in the recording.
  @Test func countersGoOn() {
    let little = WriteMatcher.counter(at: 1, bytes: 2, bigEndian: false)
    let before: (recorded: [UInt8], written: [UInt8]) = ([5, 0xFF, 0x00], [5, 0xFE, 0xFF])
    #expect(little.accepts([5, 0x00, 0x00], for: [5, 0x01, 0x01], before: before))
    #expect(!little.accepts([5, 0xFF, 0xFF], for: [5, 0x01, 0x01], before: before))
    let big = WriteMatcher.counter(at: 0, bytes: 8, bigEndian: true)
    let largest = [UInt8](repeating: 0xFF, count: 8)
    let one = [UInt8](repeating: 0, count: 7) + [1]
    #expect(big.accepts([UInt8](repeating: 0, count: 8), for: one, before: ([UInt8](repeating: 0, count: 8), largest)))
    #expect(!big.accepts(one, for: one, before: ([UInt8](repeating: 0, count: 8), largest)))
  }
}
