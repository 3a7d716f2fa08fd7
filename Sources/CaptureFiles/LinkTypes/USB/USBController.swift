import ByteParsing

/// What is known of one USB device that may be a Bluetooth controller.
struct USBController {
  private enum Endpoint {
    static let events: UInt8 = 0x81
    static let outgoingData: UInt8 = 0x02
    static let incomingData: UInt8 = 0x82
  }

  private var isBluetooth = false
  /// Its number, given with its first packet, so that the numbers have no gaps.
  private var adapter: UInt16?
  /// The request of the control transfer that is under way.
  private var request: USBSetup?
  private var events = USBReassembler(.event)
  private var outgoing = USBReassembler(.aclData)
  private var incoming = USBReassembler(.aclData)

  /// Packets that were given up because a transfer of theirs is missing.
  var dropped: Int { events.dropped + outgoing.dropped + incoming.dropped }

  mutating func add(
    _ transfer: borrowing USBTransfer, adapters: inout UInt16, _ body: (borrowing USBPacket) throws -> Void
  ) rethrows -> USBBluetooth.Outcome {
    let idle: USBBluetooth.Outcome = isBluetooth ? .nothing : .otherDevice
    switch transfer.kind {
    case .isochronous: return isBluetooth ? .synchronous : .otherDevice
    case .control: return try addControl(transfer, adapters: &adapters, body)
    case .interrupt, .bulk:
      guard transfer.isSubmit != transfer.isInput, transfer.originalLength > 0, let shape = Self.shape(of: transfer) else { return idle }
      if !isBluetooth { isBluetooth = shape.isCertain(transfer.data, originalLength: transfer.originalLength) }
      guard isBluetooth else { return .otherDevice }
      guard transfer.data.byteCount > 0 else { return .missingData }
      let number = number(&adapters)
      switch transfer.endpoint {
      case Endpoint.events: return try Self.join(transfer, &events, .event, number, body)
      case Endpoint.incomingData: return try Self.join(transfer, &incoming, .aclData, number, body)
      default: return try Self.join(transfer, &outgoing, .aclData, number, body)
      }
    }
  }

  private static func shape(of transfer: borrowing USBTransfer) -> USBPacketShape? {
    switch (transfer.kind, transfer.endpoint) {
    case (.interrupt, Endpoint.events): .event
    case (.bulk, Endpoint.outgoingData), (.bulk, Endpoint.incomingData): .aclData
    default: nil
    }
  }

  private mutating func number(_ adapters: inout UInt16) -> UInt16 {
    if let adapter { return adapter }
    let next = adapters
    adapters &+= 1
    adapter = next
    return next
  }

  private mutating func addControl(
    _ transfer: borrowing USBTransfer, adapters: inout UInt16, _ body: (borrowing USBPacket) throws -> Void
  ) rethrows -> USBBluetooth.Outcome {
    guard transfer.endpoint & 0x7F == 0 else { return isBluetooth ? .nothing : .otherDevice }
    if let setup = transfer.setup { request = setup }
    guard let current = request, transfer.originalLength > 0 else { return isBluetooth ? .nothing : .otherDevice }
    if transfer.isInput {
      if !transfer.isSubmit, current.asksForDeviceDescriptor { learn(descriptor: transfer.data) }
      return isBluetooth ? .nothing : .otherDevice
    }
    guard current.isHCICommand else { return isBluetooth ? .nothing : .otherDevice }
    // The command's data come once, with the setup or in a record of their own.
    request = nil
    if !isBluetooth {
      isBluetooth = USBPacketShape.command.isCertain(transfer.data, originalLength: transfer.originalLength)
    }
    guard isBluetooth else { return .otherDevice }
    guard transfer.data.byteCount > 0 else { return .missingData }
    try body(
      USBPacket(
        kind: .command, direction: .hostToController, adapter: number(&adapters), bytes: transfer.data,
        originalLength: transfer.originalLength))
    return .packet
  }

  /// Takes the class, subclass and protocol of a device descriptor (USB 2.0, 9.6.1; wireless controller, radio, Bluetooth).
  private mutating func learn(descriptor: RawSpan) {
    guard descriptor.byteCount >= 7, descriptor.uint8(at: 1) == 1 else { return }
    switch (descriptor.uint8(at: 4), descriptor.uint8(at: 5), descriptor.uint8(at: 6)) {
    case (0xE0, 0x01, 0x01): isBluetooth = true
    // These leave it to the interfaces, or to the vendor's driver, to say what the device is.
    case (0x00, _, _), (0xEF, _, _), (0xFF, _, _): break
    // Another device was given the number of one that left.
    default: self = USBController()
    }
  }

  private static func join(
    _ transfer: borrowing USBTransfer, _ reassembler: inout USBReassembler, _ kind: CaptureRecord.Kind, _ adapter: UInt16,
    _ body: (borrowing USBPacket) throws -> Void
  ) rethrows -> USBBluetooth.Outcome {
    let direction: CaptureRecord.Direction = transfer.isInput ? .controllerToHost : .hostToController
    switch reassembler.add(transfer.data, originalLength: transfer.originalLength) {
    case .waiting: return .part
    case .whole(let end, let originalLength):
      try body(
        USBPacket(
          kind: kind, direction: direction, adapter: adapter, bytes: transfer.data.extracting(0..<end), originalLength: originalLength))
    case .joined(let originalLength):
      let packet = reassembler.takePacket()
      defer { reassembler.reuse(packet) }
      try body(
        USBPacket(kind: kind, direction: direction, adapter: adapter, bytes: packet.byteSpan, originalLength: originalLength))
    }
    return .packet
  }
}
