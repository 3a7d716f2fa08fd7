import TestSupport
import Testing

@testable import ReplayEngine

struct TimedQueueTests {
  private struct Item: Equatable {
    var time: Int64
    var rank: Int
    var number: Int
  }

  /// Against an array that is sorted by time, rank and order of arrival.
  @Test(arguments: 0..<20)
  func theOrderIsThatOfASortedArray(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var queue = TimedQueue<Item>()
    var model: [Item] = []
    for number in 0..<2000 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<6:
        let item = Item(time: Int64.random(in: -3...30, using: &random), rank: Int.random(in: 0...2, using: &random), number: number)
        queue.add(item, at: AirInstant(nanoseconds: item.time), rank: item.rank)
        let place = model.firstIndex { ($0.time, $0.rank) > (item.time, item.rank) } ?? model.count
        model.insert(item, at: place)
      case 6..<9:
        let limit = Int64.random(in: -3...30, using: &random)
        let expected = model.first.flatMap { $0.time <= limit ? $0 : nil }
        if expected != nil { model.removeFirst() }
        let got = queue.pop(through: AirInstant(nanoseconds: limit))
        #expect(got?.element == expected)
        #expect(got?.time.nanoseconds == expected?.time)
      default:
        let divisor = Int.random(in: 2...9, using: &random)
        let before = model.count
        model.removeAll { $0.number % divisor == 0 }
        #expect(queue.removeAll { $0.number % divisor == 0 } == before - model.count)
      }
      #expect(queue.next?.nanoseconds == model.first?.time)
      #expect(queue.isEmpty == model.isEmpty)
    }
    queue.removeAll()
    #expect(queue.isEmpty)
    #expect(queue.pop(through: AirInstant(nanoseconds: .max)) == nil)
  }

  @Test func instantsStopAtTheirLimits() {
    #expect(AirInstant(nanoseconds: .max).advanced(by: .seconds(1)).nanoseconds == .max)
    #expect(AirInstant(nanoseconds: .min).advanced(by: .seconds(-1)).nanoseconds == .min)
    #expect(AirInstant.start.advanced(by: .seconds(Int64.max)).nanoseconds == .max)
    #expect(AirInstant.start.advanced(by: .seconds(Int64.min)).nanoseconds == .min)
    #expect(AirInstant(nanoseconds: -1_500_000_000).description == "-1.500000000")
    #expect(AirInstant(nanoseconds: .min).description == "-9223372036.854775808")
  }
}
