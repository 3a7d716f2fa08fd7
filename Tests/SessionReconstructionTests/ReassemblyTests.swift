import SessionReconstruction
import TestSupport
import Testing

struct ReassemblyTests {
  /// A notification of 36 bytes: 40 with its L2CAP header.
  private let pdu = hex("1b0300") + (0..<33).map { UInt8($0) }

  @Test(arguments: [[39], [4], [1], [3], [2, 1], [27, 12], [5, 1, 1, 1]])
  func fragmentsAreJoined(lengths: [Int]) throws {
    for sender in [CaptureBuilder.Sender.host, .controller] {
      let traffic = try Traffic {
        $0.connect()
        $0.att(sender, pdu, fragments: lengths)
      }
      #expect(traffic.pdus.map(\.bytes) == [pdu])
      #expect(traffic.pdus.map(\.event.frame) == [2 + lengths.count])
      #expect(traffic.codes == [])
    }
  }

  @Test func aContinuationThatLooksLikeAHeaderIsNone() throws {
    let whole = hex("1b0300") + hex("0300 0400 0a0300")
    let traffic = try Traffic {
      $0.connect()
      $0.att(.controller, whole, fragments: [7])
      $0.acl(.controller, CaptureBuilder.l2cap(hex("0a0300")), boundary: 1)
    }
    #expect(traffic.pdus.map(\.bytes) == [whole])
    #expect(traffic.codes == [.missingStart])
  }

  @Test func fragmentsOfTwoLinksAndBothDirectionsInterleave() throws {
    let l2cap = CaptureBuilder.l2cap(pdu)
    let traffic = try Traffic { builder in
      builder.connect(0x40)
      builder.connect(0x41)
      let senders: [(UInt16, CaptureBuilder.Sender)] = [(0x40, .host), (0x41, .controller), (0x40, .controller), (0x41, .host)]
      for (handle, sender) in senders { builder.acl(sender, Array(l2cap.prefix(20)), handle: handle) }
      for (handle, sender) in senders { builder.acl(sender, Array(l2cap.dropFirst(20)), handle: handle, boundary: 1) }
    }
    #expect(traffic.pdus.map(\.bytes) == [pdu, pdu, pdu, pdu])
    #expect(traffic.pdus.map(\.event.link) == [1, 2, 1, 2])
    #expect(traffic.pdus.map(\.event.sender) == [.central, .peripheral, .peripheral, .central])
    #expect(traffic.codes == [])
  }

  @Test func startFlagsOfTheOtherSideAreStarts() throws {
    let traffic = try Traffic {
      $0.connect()
      $0.acl(.host, CaptureBuilder.l2cap(hex("0a0300")), boundary: 2)
      $0.acl(.controller, CaptureBuilder.l2cap(hex("0b01")), boundary: 0)
      $0.acl(.controller, CaptureBuilder.l2cap(hex("1b030002")), boundary: 3)
    }
    #expect(traffic.texts == ["0a0300", "0b01", "1b030002"])
    #expect(traffic.codes == [.unusualBoundary])
  }

  @Test func aCutStartFragmentLosesWhatFollowsItsCut() throws {
    let l2cap = CaptureBuilder.l2cap(pdu)
    let traffic = try Traffic {
      $0.connect()
      $0.acl(.controller, Array(l2cap.prefix(27)), kept: 10)
      $0.acl(.controller, Array(l2cap.dropFirst(27)), boundary: 1)
      $0.att(.controller, hex("1b030001"))
    }
    #expect(traffic.pdus.map(\.bytes) == [Array(pdu.prefix(6)), hex("1b030001")])
    #expect(traffic.pdus.map(\.event.missing) == [30, 0])
    #expect(traffic.codes == [.cutRecord, .truncatedPDU])
  }

  @Test func aCutWholePDUTellsHowMuchIsMissing() throws {
    let traffic = try Traffic {
      $0.connect()
      $0.acl(.controller, CaptureBuilder.l2cap(pdu), kept: 12)
      $0.acl(.controller, CaptureBuilder.l2cap(pdu), kept: 3)
      $0.acl(.controller, CaptureBuilder.l2cap(pdu), kept: 4)
      $0.att(.controller, hex("1b030001"))
    }
    #expect(traffic.pdus.map(\.event.missing) == [28, 36, 0])
    #expect(traffic.pdus.map(\.bytes.count) == [8, 0, 4])
    #expect(Set(traffic.codes) == [.cutRecord, .truncatedPDU])
  }

  @Test func aPDUThatAnotherInterruptsIsHandedOn() throws {
    let l2cap = CaptureBuilder.l2cap(pdu)
    let traffic = try Traffic {
      $0.connect()
      $0.acl(.controller, Array(l2cap.prefix(20)))
      $0.att(.controller, hex("1b030001"))
      $0.acl(.controller, Array(l2cap.prefix(2)))
      $0.disconnect()
    }
    #expect(traffic.pdus.map(\.bytes) == [Array(pdu.prefix(16)), hex("1b030001")])
    #expect(traffic.pdus.map(\.event.missing) == [20, 0])
    #expect(traffic.codes == [.missingFragment, .truncatedPDU, .truncatedPDU])
  }

  @Test func bytesBeyondTheL2CAPLengthAreLeftOut() throws {
    let traffic = try Traffic {
      $0.connect()
      $0.acl(.controller, CaptureBuilder.l2cap(hex("1b030001")) + [0xEE])
      $0.acl(.controller, Array(CaptureBuilder.l2cap(hex("1b030001")).prefix(6)))
      $0.acl(.controller, hex("0001eeee"), boundary: 1)
      $0.acl(.controller, [])
    }
    #expect(traffic.texts == ["1b030001", "1b030001"])
    #expect(traffic.codes == [.oversizedPDU, .oversizedPDU, .truncatedPDU])
  }

  @Test func aLengthThatTheACLHeaderExaggeratesIsACut() throws {
    let traffic = try Traffic {
      $0.connect()
      $0.packet(hex("4020 0800 0400 0400 1b0300"), .aclData, .controller)
    }
    #expect(traffic.texts == ["1b0300"])
    #expect(traffic.pdus.map(\.event.missing) == [1])
    #expect(traffic.codes == [.malformedPacket, .truncatedPDU])
  }

  @Test func otherChannelsCarryNoATT() throws {
    let traffic = try Traffic {
      $0.connect()
      for channel in [1, 5, 6, 0x40] as [UInt16] { $0.acl(.host, CaptureBuilder.l2cap(hex("0a0300"), channel: channel)) }
    }
    #expect(traffic.pdus.isEmpty)
    // Neither signalling nor pairing has such a command, and nobody opened channel 0x40.
    #expect(traffic.codes == [.malformedPDU, .malformedPDU, .unknownChannel])
  }
}
