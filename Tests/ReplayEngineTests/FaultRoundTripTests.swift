import Foundation
import ReplayScenarios
import TestSupport
import Testing

@testable import ReplayEngine

/// Random faults are read as they are printed, and coded as they are.
struct FaultRoundTripTests {
  private struct Maker {
    var random: SeededGenerator
    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    mutating func chance() -> Bool { Bool.random(using: &random) }
    mutating func time() -> Duration { .nanoseconds(Int64.random(in: 0...(chance() ? 5_000_000_000 : Int64.max / 2), using: &random)) }
    mutating func status() -> HCIErrorCode { HCIErrorCode(rawValue: UInt8(number(1...255))) }

    mutating func action() -> Fault.Action {
      switch number(0...23) {
      case 0: .disconnect(status())
      case 1: .localDisconnect
      case 2: .vanish
      case 3: .silence
      case 4: .refuseConnection(status())
      case 5: .delayConnection(time())
      case 6: .failEstablishment
      case 7: .delay(time())
      case 8: .drop
      case 9: .duplicate
      case 10: .reorder
      case 11: .corrupt(chance() ? .anyBit : .byte(offset: number(0...0xFFFF), mask: UInt8(number(1...255))))
      case 12: .error(ATTErrorCode(rawValue: UInt8(number(1...255))))
      case 13: .delayMTU(time())
      case 14: .duplicateMTU
      case 15: .limitMTU(number(23...0xFFFF))
      case 16:
        .moveHandles(
          HandleShift(from: UInt16(number(1...0xFFFF)), by: UInt16(number(1...0xFFFF)), serviceChanged: chance()))
      case 17: .forgetBond
      case 18: .failEncryption(status())
      case 19: .stallCredits(chance() ? time() : nil)
      case 20: .rssi(number(-127...20))
      case 21: .rotateAddress(resolvable: chance())
      case 22: .stopAdvertising(chance() ? time() : nil)
      default: .powerOff(chance() ? time() : nil)
      }
    }

    mutating func moment() -> Fault.Moment {
      if number(0...3) == 0 { return .entry(session: number(0...1000), entry: number(0...1_000_000)) }
      let uuid = chance() ? BluetoothUUID(UInt16(number(0...0xFFFF))) : BluetoothUUID(high: .random(in: 0 ... .max, using: &random), low: 7)
      let name: Fault.AttributeName = chance() ? .handle(UInt16(number(1...0xFFFF))) : .uuid("\(uuid)".uppercased())
      let use = Fault.Use.allCases.randomElement(using: &random) ?? .any
      return .attribute(use, name, count: chance() ? 1 : number(1...1000))
    }

    mutating func trigger() -> Fault.Trigger {
      switch number(0...4) {
      case 0: .before(moment())
      case 1: .after(moment())
      case 2: .pdu(number(1...1_000_000))
      case 3: .phase(Fault.Phase.allCases.randomElement(using: &random) ?? .mtu, count: chance() ? 1 : number(1...99))
      default: .time(time())
      }
    }

    mutating func fault() -> Fault {
      Fault(
        action(), at: trigger(), of: chance() ? nil : number(0...9), count: [1, 1, 0, 7, Fault.everyTime][number(0...4)],
        probability: chance() ? 1 : Double(number(0...1_000_000)) / 1_000_000)
    }
  }

  @Test(arguments: 0..<8)
  func whatIsPrintedIsReadBack(seed: Int) throws {
    var maker = Maker(random: SeededGenerator(seed: UInt64(seed)))
    for _ in 0..<500 {
      let fault = maker.fault()
      #expect(try Fault("\(fault)") == fault)
      #expect(try Fault("\(fault)").description == "\(fault)")
      let coded = try JSONDecoder().decode(Fault.self, from: JSONEncoder().encode(fault))
      #expect(coded == fault && coded.hashValue == fault.hashValue)
    }
  }

  /// Whatever is written there, it is read or refused in words.
  @Test(arguments: 0..<8)
  func spoiledTextIsRefused(seed: Int) {
    var maker = Maker(random: SeededGenerator(seed: UInt64(seed)))
    var refused = 0
    for _ in 0..<500 {
      var text = Array("\(maker.fault())".utf8)
      for _ in 0..<maker.number(1...3) where !text.isEmpty {
        let place = maker.number(0...(text.count - 1))
        switch maker.number(0...2) {
        case 0: text.remove(at: place)
        case 1: text[place] = UInt8(maker.number(0x20...0x7E))
        default: text.insert(UInt8(maker.number(0x20...0x7E)), at: place)
        }
      }
      do {
        let fault = try Fault(String(decoding: text, as: UTF8.self))
        #expect((try? Fault("\(fault)")) == fault, "\(fault)")
      } catch {
        refused += 1
        #expect(error.description.count > 20)
      }
    }
    #expect(refused > 100)
  }

  @Test func limitsAreKept() {
    #expect(Fault(.drop, at: .pdu(1), count: -3).isOff)
    #expect(Fault(.drop, at: .pdu(1), probability: -1).isOff)
    #expect(Fault(.drop, at: .pdu(1), probability: .nan).isOff)
    #expect(Fault(.drop, at: .pdu(1), probability: 7) == Fault(.drop, at: .pdu(1)))
    #expect(Fault(.drop, at: .pdu(1), probability: 0.25).description == "drop@pdu:1~0.25")
    #expect(Fault(.drop, at: .pdu(1), count: Fault.everyTime, probability: 0.000001).description == "drop@pdu:1*all~0.000001")
  }
}
