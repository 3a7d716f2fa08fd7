import GATTStack
public import ReplayScenarios

/// A rule in code: what a device does when it is asked something, whatever the recording has.
///
/// It stands above the tape and above the rules of the scenario. Its body is called while the air works: it computes, and uses neither the
/// air nor the framework.
public struct DeviceRule: Sendable {
  /// What a rule waits for.
  public enum Trigger: Sendable, Equatable {
    /// A write with or without response, of one piece or in parts.
    case write
    case read
    /// Notifications or indications are switched on.
    case subscribe
  }

  /// What a device was asked.
  public struct Request: Sendable {
    /// The attribute's handle; of a subscription, that of the value.
    public let handle: AttributeHandle
    /// The bytes that were written; empty for anything else.
    public let value: [UInt8]
    /// How often the rule was asked on this link, from 1.
    public let count: Int
    /// The clock.
    public let time: AirInstant
    let attributes: AttributeMap
    let values: @Sendable (AttributeHandle) -> [UInt8]

    /// What an attribute has now: by its UUID, the first of several, or by its handle as `0x002a`; `nil` where there is none.
    public func value(of attribute: String) -> [UInt8]? { attributes.handle(attribute).map(values) }
  }

  /// What a device does then.
  public struct Reaction: Sendable {
    /// One thing, and how long after the response to the request, or after a command.
    public struct Step: Sendable {
      enum Action: Sendable {
        case notify(String, [UInt8])
        case set(String, [UInt8])
        case disconnect(HCIErrorCode)
      }
      let action: Action
      let delay: Duration

      private init(_ action: Action, after delay: Duration) { (self.action, self.delay) = (action, max(.zero, delay)) }

      /// Tells a value, as a notification or an indication as the app has subscribed; attributes are named as in a fault.
      public static func notify(_ attribute: String, _ value: [UInt8], after delay: Duration = .zero) -> Step {
        Step(.notify(attribute, value), after: delay)
      }
      /// Changes what a read gets.
      public static func set(_ attribute: String, _ value: [UInt8], after delay: Duration = .zero) -> Step {
        Step(.set(attribute, value), after: delay)
      }
      /// Ends the link.
      public static func disconnect(_ reason: HCIErrorCode = .remoteUserTerminatedConnection, after delay: Duration = .zero) -> Step {
        Step(.disconnect(reason), after: delay)
      }
    }

    let answer: [UInt8]?
    let error: ATTErrorCode?
    let steps: [Step]

    /// A write is accepted, a read gets the attribute's value; then the steps follow.
    public static func accept(_ steps: Step...) -> Reaction { Reaction(answer: nil, error: nil, steps: steps) }
    /// A read gets this value.
    public static func answer(_ value: [UInt8], _ steps: Step...) -> Reaction { Reaction(answer: value, error: nil, steps: steps) }
    /// The request gets an Error Response.
    public static func refuse(_ error: ATTErrorCode, _ steps: Step...) -> Reaction { Reaction(answer: nil, error: error, steps: steps) }
  }

  /// The attribute, as in ``Request/value(of:)``.
  public let attribute: String
  public let trigger: Trigger
  /// What the device does; `nil` leaves it to the next rule or to the tape.
  public let body: @Sendable (Request) -> Reaction?

  /// Joins the parts.
  public init(on trigger: Trigger, of attribute: String, _ body: @escaping @Sendable (Request) -> Reaction?) {
    (self.trigger, self.attribute, self.body) = (trigger, attribute, body)
  }
}

extension VirtualAir {
  /// Adds a rule to a peripheral, by its number from 0, for the links that come up from now on; of several the first that is not `nil` counts.
  public func add(_ rule: DeviceRule, to peripheral: Int = 0) { withCore { $0.deviceRules[peripheral, default: []].append(rule) } }

  /// What a peripheral does when an attribute is written.
  public func onWrite(
    of attribute: String, to peripheral: Int = 0, _ body: @escaping @Sendable (DeviceRule.Request) -> DeviceRule.Reaction?
  ) {
    add(DeviceRule(on: .write, of: attribute, body), to: peripheral)
  }

  /// What a peripheral does when an attribute is read.
  public func onRead(
    of attribute: String, from peripheral: Int = 0, _ body: @escaping @Sendable (DeviceRule.Request) -> DeviceRule.Reaction?
  ) {
    add(DeviceRule(on: .read, of: attribute, body), to: peripheral)
  }

  /// What a peripheral does when an attribute is subscribed to. The subscription is made by then: one that is to be refused is so by a
  /// rule for the write of its CCCD.
  public func onSubscribe(
    to attribute: String, of peripheral: Int = 0, _ body: @escaping @Sendable (DeviceRule.Request) -> DeviceRule.Reaction?
  ) { add(DeviceRule(on: .subscribe, of: attribute, body), to: peripheral) }
}

extension AttributeMap {
  /// The attribute with this UUID, the first of several, or with this handle.
  func handle(_ name: String) -> AttributeHandle? {
    if name.hasPrefix("0x"), let number = UInt16(name.dropFirst(2), radix: 16) {
      return database[AttributeHandle(number)] == nil ? nil : AttributeHandle(number)
    }
    guard let uuid = BluetoothUUID(name) else { return nil }
    return types.all.filter { $0.value == uuid }.map(\.handle).min()
  }
}
