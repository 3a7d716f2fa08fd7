import SessionReconstruction
import TestSupport
import Testing

struct TransactionTests {
  @Test func eachResponseNamesItsRequest() throws {
    let exchanges = [
      ("02f700", "030001"), ("0401000500", "050105000229"), ("060100ffff00280d18", "070a001100"), ("0801000500032a", "0903040041"),
      ("0a0300", "0b01"), ("0c03001600", "0d02"), ("0e03000500", "0f0102"), ("100100ffff0028", "1106010005000018"), ("12030001", "13"),
      ("1603000000aa", "1703000000aa"), ("1801", "19"), ("2003000500", "210100aa0100bb"), ("0a0300", "010a030002"),
    ]
    let traffic = try Traffic {
      $0.connect()
      for (request, response) in exchanges {
        $0.att(.host, hex(request))
        $0.att(.controller, hex(response))
      }
    }
    #expect(traffic.pdus.map(\.event.answers) == (0..<exchanges.count).flatMap { [nil, 2 * $0 + 1] })
    #expect(traffic.pdus.allSatisfy { $0.event.fault == nil })
    #expect(traffic.capture.links.first?.mtu == 247)
    #expect(traffic.codes == [])
  }

  @Test func confirmationsNameTheirIndication() throws {
    let traffic = try Traffic {
      $0.connect()
      $0.att(.controller, hex("1d030001"))
      $0.att(.host, hex("0a0700"))
      $0.att(.host, hex("1e"))
      $0.att(.controller, hex("0b01"))
      $0.att(.host, hex("1e"))
    }
    #expect(traffic.pdus.map(\.event.answers) == [nil, nil, 1, 2, nil])
    #expect(traffic.pdus.map(\.event.attribute?.rawValue) == [3, 7, 3, 7, nil])
    #expect(traffic.codes == [.unpairedResponse])
  }

  @Test func bothSidesMayBeClients() throws {
    let traffic = try Traffic {
      $0.connect()
      $0.att(.host, hex("02b900"))
      $0.att(.controller, hex("02f700"))
      $0.att(.host, hex("03b900"))
      $0.att(.controller, hex("03f700"))
      $0.att(.controller, hex("0a0300"))
      $0.att(.host, hex("0a0900"))
      $0.att(.controller, hex("0b09"))
      $0.att(.host, hex("0b03"))
      $0.att(.controller, hex("1d040001"))
      $0.att(.host, hex("1d050001"))
      $0.att(.controller, hex("1e"))
      $0.att(.host, hex("1e"))
    }
    #expect(traffic.pdus.map(\.event.answers) == [nil, nil, 2, 1, nil, nil, 6, 5, nil, nil, 10, 9])
    #expect(traffic.pdus.map(\.event.attribute?.rawValue) == [nil, nil, nil, nil, 3, 9, 9, 3, 4, 5, 5, 4])
    #expect(traffic.capture.links.first?.mtu == 185)
    #expect(traffic.codes == [])
  }

  @Test func unpairedResponsesAndOverlappingRequestsAreFound() throws {
    let traffic = try Traffic {
      $0.connect()
      $0.att(.controller, hex("0b01"))
      $0.att(.host, hex("0a0300"))
      $0.att(.host, hex("12050001"))
      $0.att(.controller, hex("13"))
      $0.att(.controller, hex("0b01"))
    }
    #expect(traffic.pdus.map(\.event.answers) == [nil, nil, nil, 3, nil])
    #expect(traffic.codes == [.unpairedResponse, .overlappingRequest, .unpairedResponse])
  }

  @Test func cutAndMalformedPDUsKeepTheirPlaceInAPair() throws {
    let traffic = try Traffic {
      $0.connect()
      $0.att(.host, hex("0801000500032a"))
      $0.acl(.controller, CaptureBuilder.l2cap(hex("0907 0b00 100c00372a")), kept: 9)
      $0.att(.host, hex("0a03"))
      $0.att(.controller, hex("010a030004"))
      $0.att(.host, hex("0400"))
      $0.att(.controller, hex("0104000004"))
    }
    #expect(traffic.pdus.map(\.event.answers) == [nil, 1, nil, 3, nil, 5])
    #expect(traffic.pdus.map { $0.event.fault != nil } == [false, true, true, false, true, false])
    #expect(Set(traffic.codes) == [.cutRecord, .truncatedPDU, .malformedPDU])
  }

  @Test func theMTUNeverFallsBelowItsDefault() throws {
    let traffic = try Traffic {
      $0.connect()
      $0.att(.host, hex("020500"))
      $0.att(.controller, hex("03ff00"))
    }
    #expect(traffic.capture.links.first?.mtu == 23)
  }
}
