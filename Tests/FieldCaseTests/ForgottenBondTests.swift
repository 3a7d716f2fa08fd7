import CoreBluetooth
import Foundation
import ReplayTesting
import XCTest

/// The device has lost its bond, or its user has removed it there. Encryption fails, the link ends, and apps came back at once, for ever; or
/// nobody began to pair, and they asked again and again for what was refused. What the phone says of it is a text without a code of its own
/// on some systems and a code in another domain on others, so that apps missed it.
final class ForgottenBondTests: FieldCase {
  private enum Way { case comesBack, looksAtOneDomain, looksAtTheText, tellsTheUser }

  private final class App: FieldApp, @unchecked Sendable {
    private let way: Way
    private var hasTold = false

    init(_ way: Way) { self.way = way }

    override func ready() { read() }

    override func ended(_ error: NSError?) {
      if let error, isLostPairing(error) { tellOnce() }
      if !hasTold { connect() }
    }

    override func refused(_ error: NSError) {
      guard way == .tellsTheUser else { return disconnect() }
      let codes = [CBATTError.insufficientAuthentication, .insufficientEncryption].map(\.rawValue)
      guard error.domain == CBATTErrorDomain, codes.contains(error.code) else { return }
      tellOnce()
      disconnect()
    }

    private func isLostPairing(_ error: NSError) -> Bool {
      let code = CBError.Code.peerRemovedPairingInformation.rawValue
      return switch way {
      case .comesBack: false
      case .looksAtOneDomain: error.domain == CBErrorDomain && error.code == code
      case .looksAtTheText: error.localizedDescription.contains("pairing was lost")
      case .tellsTheUser: [CBErrorDomain, CBATTErrorDomain].contains(error.domain) && error.code == code
      }
    }

    private func tellOnce() {
      guard !hasTold else { return }
      hasTold = true
      tell("pair again")
    }
  }

  /// Sixty seconds, or as many as it takes to see that it goes on for ever.
  private func run(_ way: Way, _ conventions: VirtualPhone.Conventions) throws -> VirtualAir {
    try run(scenario("forgotten-bond"), prepare: { $0.phone.conventions = conventions }, { App(way) }) { app, air in
      for _ in 0..<60 where app.ends.count < 100 { air.advance(by: .seconds(1)) }
    }.air
  }

  private func conventions(
    _ lost: VirtualPhone.Conventions.LostPairing = .failsToConnect, _ domain: VirtualPhone.Conventions.LostPairingDomain = .manager,
    _ pairing: VirtualPhone.Conventions.Pairing = .repeats
  ) -> VirtualPhone.Conventions {
    var conventions = VirtualPhone.Conventions()
    (conventions.lostPairing, conventions.lostPairingDomain, conventions.pairing) = (lost, domain, pairing)
    return conventions
  }

  func testAnAppThatComesBackComesBackForEver() throws {
    let air = try run(.comesBack, conventions())
    assertFails(air, "a connection at most 5 times within 60000 ms: it came", "the mark \"pair again\" once: it came 0 times")
    XCTAssertGreaterThan(air.attempts.count, 100)
  }

  func testTheUserIsToldOnce() throws {
    for lost in [VirtualPhone.Conventions.LostPairing.failsToConnect, .disconnects] {
      for domain in [VirtualPhone.Conventions.LostPairingDomain.manager, .attribute] {
        let air = try run(.tellsTheUser, conventions(lost, domain))
        XCTAssertEqual(air.attempts.count, 2, "\(lost) \(domain)")
        assertVerdict(air)
      }
    }
  }

  /// There is no code to match that is the same everywhere, and no text.
  func testAnAppThatKnowsOneFormOfTheErrorMissesTheOther() throws {
    assertVerdict(try run(.looksAtOneDomain, conventions(.failsToConnect, .manager)))
    assertFails(try run(.looksAtOneDomain, conventions(.failsToConnect, .attribute)), "a connection at most 5 times")
    for domain in [VirtualPhone.Conventions.LostPairingDomain.manager, .attribute] {
      assertFails(try run(.looksAtTheText, conventions(.failsToConnect, domain)), "a connection at most 5 times", "\"pair again\" once")
    }
  }

  func testNobodyStartsToPair() throws {
    let wrong = try run(.comesBack, conventions(.disconnects, .manager, .never))
    assertFails(wrong, "a connection at most 5 times within 60000 ms", "the mark \"pair again\" once: it came 0 times")
    assertVerdict(try run(.tellsTheUser, conventions(.disconnects, .manager, .never)))
  }

  /// What the user does who was told: the phone forgets the device, and both pair anew.
  func testTheUserPairsAgain() throws {
    let prompts = Guarded(0)
    let (app, air) = try run(
      scenario("forgotten-bond"),
      prepare: { air in
        air.phone.conventions = conventions()
        air.phone.onPairingPrompt { _ in
          prompts.withValue { $0 += 1 }
          return .agree
        }
      }, { App(.looksAtOneDomain) }
    ) { app, air in
      air.advance(by: .seconds(30))
      XCTAssertEqual(app.connections, 1)
      XCTAssertEqual(app.ends.last??.code, CBError.Code.peerRemovedPairingInformation.rawValue)
      air.phone.forgetDevice()
      app.connect()
      air.advance(by: .seconds(30))
    }
    XCTAssertEqual(app.connections, 2)
    XCTAssertEqual(app.values, [7, 7])
    XCTAssertEqual(prompts.value, 2, "once on each link")
    assertVerdict(air)
  }

  /// A link that is up ends with its bond, and is paired anew.
  func testTheUserHasThePhoneForgetADeviceThatIsConnected() throws {
    var scenario = try scenario("forgotten-bond")
    scenario.faults = []
    scenario.sessions[0].entries.removeLast()
    let (app, air) = try run(scenario, { App(.comesBack) }) { app, air in
      air.advance(by: .seconds(5))
      XCTAssertEqual(app.values, [7])
      air.phone.forgetDevice()
      air.phone.forgetDevice(9)
      air.advance(by: .seconds(5))
    }
    XCTAssertEqual(app.ends.count, 1)
    XCTAssertEqual(app.values, [7, 7])
    XCTAssertEqual(air.log.lines.count { if case .procedure(true, .pair) = $0.event { true } else { false } }, 2)
    XCTAssertEqual(air.log.lines.count { if case .procedure(true, .encrypt(.bonded)) = $0.event { true } else { false } }, 0)
  }
}
