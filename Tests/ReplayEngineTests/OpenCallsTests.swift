import Dispatch
import Foundation
import Testing

@testable import ReplayEngine

/// Calls on queues without an order are waited for until they return, or take too long.
struct OpenCallsTests {
  @Test func aCallIsWaitedForUntilItReturns() async {
    let calls = OpenCalls()
    let (gate, order) = (DispatchSemaphore(value: 0), Guarded<[String]>([]))
    for queue in [DispatchQueue.global(), .global(qos: .utility)] {
      calls.make(on: queue) {
        gate.wait()
        order.withValue { $0.append("returned") }
      }
    }
    #expect(calls.areOpen)
    await withCheckedContinuation { continuation in
      calls.whenNone(patience: .seconds(3600)) {
        order.withValue { $0.append("none") }
        continuation.resume()
      }
      #expect(order.value == [])
      gate.signal()
      gate.signal()
    }
    #expect(order.value == ["returned", "returned", "none"])
    #expect(!calls.areOpen)
    await withCheckedContinuation { continuation in calls.whenNone(patience: .seconds(3600)) { continuation.resume() } }
  }

  @Test func oneThatTakesTooLongIsNotWaitedFor() async {
    let calls = OpenCalls()
    let gate = DispatchSemaphore(value: 0)
    calls.make(on: .global()) { gate.wait() }
    await withCheckedContinuation { continuation in calls.whenNone(patience: .milliseconds(1)) { continuation.resume() } }
    #expect(!calls.areOpen)
    gate.signal()
  }
}
