import CaptureFiles
import SessionReconstruction
import TestSupport
import Testing

/// Addresses that a device rotates, and the key that joins them (case D14).
struct IdentityTests {
  private static let key = [UInt8](0x10..<0x20)
  private static let otherKey = [UInt8](0x80..<0x90)
  private static let identity = BluetoothAddress(0x0011_2233_4455, kind: .publicDevice)
  private static let staticIdentity = BluetoothAddress(0xC0AA_BBCC_DDEE, kind: .random)
  private static let stranger = BluetoothAddress(0x7FFF_FFFF_FFFF, kind: .random)
  private static let nonResolvable = BluetoothAddress(0x1122_3344_5566, kind: .random)

  private static func address(_ number: UInt32, _ key: [UInt8] = key) -> BluetoothAddress { .made(with: key, number) }

  private static func visit(_ builder: inout CaptureBuilder, _ peer: BluetoothAddress, _ then: (inout CaptureBuilder) -> Void = { _ in }) {
    builder.connect(peer: peer)
    then(&builder)
    builder.att(.host, hex("0a0300"))
    builder.att(.controller, hex("0b01"))
    builder.disconnect()
  }

  private static func identities(keys: [[UInt8]] = [], _ build: (inout CaptureBuilder) -> Void) throws -> (
    identities: [BluetoothAddress?], codes: [Finding.Code]
  ) {
    var builder = CaptureBuilder()
    build(&builder)
    let capture = try Reconstruction(bytes: builder.bytes, file: "test", options: CaptureOptions(identityResolvingKeys: keys))
    return (capture.links.map(\.identity), capture.findings.map(\.code))
  }

  @Test(arguments: [identity, staticIdentity])
  func aKeyThatWasDistributedJoinsWhatCameBeforeAndAfter(identity: BluetoothAddress) throws {
    let found = try Self.identities {
      Self.visit(&$0, Self.address(1))
      Self.visit(&$0, Self.address(2)) {
        $0.pair()
        $0.identity(identity, key: Self.key)
      }
      Self.visit(&$0, Self.address(3))
      Self.visit(&$0, identity)
    }
    #expect(found.identities == [identity, identity, identity, nil])
    #expect(found.codes == [])
  }

  @Test func theHostsResolvingListTellsIt() throws {
    let found = try Self.identities {
      let list: [(UInt64, [UInt8])] = [(Self.identity.value, Self.key), (0, [UInt8](repeating: 0, count: 16))]
      for (address, key) in list {
        let octets = (0..<6).map { UInt8(truncatingIfNeeded: address >> (8 * UInt64($0))) }
        $0.command(0x2027, [0] + octets + key.reversed() + [UInt8](repeating: 0, count: 16))
      }
      Self.visit(&$0, Self.address(1))
    }
    #expect(found.identities == [Self.identity])
  }

  @Test func theControllerTellsIt() throws {
    var complete = LEConnectionComplete(
      form: .enhanced, handle: ConnectionHandle(0x40), role: 0, peer: BluetoothAddress(Self.identity.value, kind: .publicIdentity),
      interval: 36, latency: 0, timeout: 42)
    complete.peerResolvable = Self.address(5).value
    var writer = ByteWriter()
    complete.write(to: &writer)
    let traffic = try Traffic { $0.event(0x3E, writer.bytes) }
    #expect(traffic.capture.links.map(\.identity) == [Self.identity])
    #expect(traffic.capture.links.map(\.usedAddress) == [Self.address(5)])
  }

  @Test func aKeyThatIsGivenJoinsWithoutAnIdentity() throws {
    let found = try Self.identities(keys: [Self.key]) {
      Self.visit(&$0, Self.address(1))
      Self.visit(&$0, Self.address(2))
    }
    #expect(found.identities == [Self.address(1), Self.address(1)])
  }

  @Test func twoDevicesWithTwoKeysStayTwo() throws {
    let found = try Self.identities(keys: [Self.key]) {
      Self.visit(&$0, Self.address(1))
      Self.visit(&$0, Self.address(1, Self.otherKey)) {
        $0.pair()
        $0.identity(Self.staticIdentity, key: Self.otherKey)
      }
      Self.visit(&$0, Self.address(2))
      Self.visit(&$0, Self.address(2, Self.otherKey))
    }
    #expect(found.identities == [Self.address(1), Self.staticIdentity, Self.address(1), Self.staticIdentity])
  }

  @Test func withoutTheKeyTheyStayApartAndAFindingSaysSo() throws {
    let found = try Self.identities(keys: [Self.otherKey]) {
      for peer in [Self.address(1), Self.address(2), Self.stranger, Self.nonResolvable, Self.identity] { Self.visit(&$0, peer) }
    }
    #expect(found.identities == [nil, nil, nil, nil, nil])
    #expect(found.codes == [.unresolvedAddress])
    // One such address is no rotation.
    #expect(try Self.identities { Self.visit(&$0, Self.stranger) }.codes == [])
  }

  @Test func manyKeysAndAddressesAreBounded() throws {
    let found = try Self.identities {
      for number in 1...500 as ClosedRange<UInt8.Stride> {
        let key = [UInt8](repeating: 1, count: 14) + [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
        $0.command(0x2027, [0, 1, 2, 3, 4, 5, 6] + key + [UInt8](repeating: 0, count: 16))
      }
      for number in 1...500 as ClosedRange<UInt32> { Self.visit(&$0, Self.address(number)) }
    }
    #expect(found.identities.count == 500 && found.codes == [.unresolvedAddress])
  }
}
