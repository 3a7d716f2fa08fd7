/// What a device does whenever it is asked something, whatever the recording has: an answer that is computed, and what it tells then.
public struct Rule: Sendable, Equatable {
  /// What a rule waits for; attributes are named by the handle of their value.
  public enum Trigger: Sendable, Equatable {
    /// A write with or without response whose value `matcher` takes for `value`.
    case write(AttributeHandle, value: [UInt8], matcher: WriteMatcher)
    case read(AttributeHandle)
    /// Notifications or indications are switched on.
    case subscribe(AttributeHandle)
  }

  /// One thing that the device does then.
  public struct Step: Sendable, Equatable {
    public enum Action: Sendable, Equatable {
      case notify(AttributeHandle, ValueTemplate)
      /// Changes what a read gets.
      case set(AttributeHandle, ValueTemplate)
      case disconnect(HCIErrorCode)
    }
    public var action: Action
    /// From the response to the request, or from a command.
    public var delay: Duration
    /// Pairs both.
    public init(_ action: Action, delay: Duration = .zero) { (self.action, self.delay) = (action, delay) }
  }

  public var trigger: Trigger
  /// What a read gets.
  public var answer: ValueTemplate?
  /// The error that the request gets instead.
  public var error: ATTErrorCode?
  /// What follows, in order.
  public var steps: [Step]
  /// A person's words.
  public var note: String?

  /// Joins the parts.
  public init(
    on trigger: Trigger, answer: ValueTemplate? = nil, error: ATTErrorCode? = nil, steps: [Step] = [], note: String? = nil
  ) {
    (self.trigger, self.answer, self.error, self.steps, self.note) = (trigger, answer, error, steps, note)
  }

  /// The attribute that is asked.
  public var attribute: AttributeHandle {
    switch trigger {
    case .write(let handle, _, _), .read(let handle), .subscribe(let handle): handle
    }
  }

  /// How many bytes a written value must have, so that every template can be filled.
  public var minimumLength: Int {
    let templates = steps.map { step -> ValueTemplate? in
      switch step.action {
      case .notify(_, let template), .set(_, let template): template
      case .disconnect: nil
      }
    }
    return (templates + [answer]).compactMap { $0?.minimumLength }.max() ?? 0
  }
}
