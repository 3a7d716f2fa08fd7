import BLEWire

/// Something that goes wrong on purpose, when, and how often.
public struct Fault: Sendable, Hashable {
  public var action: Action
  public var trigger: Trigger
  /// How often it may go wrong at the most: from the time on that the trigger names; 0 is off, ``everyTime`` has no limit.
  public var count: Int
  /// Each time that the trigger comes, how likely it is to go wrong, in millionths; 0 is off.
  public private(set) var millionths: Int
  /// Whose links and advertising it waits for, by the peripheral's place among the air's, from 0; `nil` for any.
  public var peripheral: Int?

  /// No limit to ``count``.
  public static let everyTime = Int.max

  /// Each time that the trigger comes, how likely it is to go wrong, from 0 to 1 and to six decimals.
  public var probability: Double {
    get { Double(millionths) / 1_000_000 }
    set { millionths = Self.millionths(newValue) }
  }

  /// Joins all; what is not in its range is put to the nearest limit.
  public init(_ action: Action, at trigger: Trigger, of peripheral: Int? = nil, count: Int = 1, probability: Double = 1) {
    (self.action, self.trigger, self.peripheral, self.count) = (action, trigger, peripheral, max(0, count))
    millionths = Self.millionths(probability)
  }

  init(_ action: Action, at trigger: Trigger, of peripheral: Int?, count: Int, millionths: Int) {
    (self.action, self.trigger, self.peripheral, self.count) = (action, trigger, peripheral, max(0, count))
    self.millionths = min(max(0, millionths), 1_000_000)
  }

  private static func millionths(_ probability: Double) -> Int {
    probability.isNaN ? 0 : Int((min(max(probability, 0), 1) * 1_000_000).rounded())
  }

  /// Whether it can never go wrong.
  public var isOff: Bool { count <= 0 || millionths <= 0 }
}

extension Fault: CustomStringConvertible {
  /// The form that the command line reads.
  public var description: String {
    var text = "\(action)@\(trigger)"
    if let peripheral { text += "@peripheral:\(peripheral &+ 1)" }
    if count != 1 { text += count == Self.everyTime ? "*all" : "*\(count)" }
    if millionths != 1_000_000 { text += "~\(Self.decimal(millionths, places: 6))" }
    return text
  }

  static func milliseconds(_ time: Duration) -> String { "\(decimal(time.inNanoseconds, places: 6))ms" }

  /// A number that counts units of the last of `places` decimals, without zeros at its end.
  private static func decimal(_ number: some FixedWidthInteger, places: Int) -> String {
    var digits = String(number.magnitude)
    if digits.count <= places { digits = String(repeating: "0", count: places + 1 - digits.count) + digits }
    let whole = digits.dropLast(places)
    var fraction = digits.suffix(places)
    while fraction.hasSuffix("0") { fraction.removeLast() }
    return "\(number < 0 ? "-" : "")\(whole)\(fraction.isEmpty ? "" : ".")\(fraction)"
  }
}
