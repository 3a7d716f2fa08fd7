import BLEWire
import CaptureFiles
import TestSupport
import Testing

struct LinkTypeUSBTests {
  static let variants: [(USBLinkType, Bool)] = [
    (.usbmon, false), (.usbmon, true), (.usbmonMapped, false), (.usbmonMapped, true), (.usbPcap, false),
  ]

  /// A run over records, with what came of it in words.
  struct Run {
    var bluetooth = USBBluetooth()
    var packets: [String] = []
    var outcomes: [USBBluetooth.Outcome] = []
    let type: USBLinkType
    let isBigEndian: Bool

    init(_ type: USBLinkType = .usbmonMapped, isBigEndian: Bool = false) { (self.type, self.isBigEndian) = (type, isBigEndian) }

    mutating func add(_ bytes: [UInt8]) throws {
      let transfer = try type.parse(bytes.byteSpan, isBigEndian: isBigEndian)
      var found: [String] = []
      outcomes.append(
        bluetooth.add(transfer) { packet in
          let cut = packet.bytes.byteCount < packet.originalLength ? " of \(packet.originalLength)" : ""
          found.append(
            "\(packet.adapter) \(packet.kind) \(packet.direction == .hostToController ? "sent" : "received") "
              + Hexadecimal.encode(packet.bytes.array) + cut)
        })
      packets += found
    }

    mutating func add(_ record: USBRecord) throws { try add(record.bytes(type, isBigEndian: isBigEndian)) }
  }

  static let reset = hex("030c00")
  static let complete = hex("0e0401030c00")
  static let notification = hex("4020 0b00 0700 0400 1b 0c00 06480102")

  @Test(arguments: variants)
  func transfersAreTakenApart(type: USBLinkType, isBigEndian: Bool) throws {
    var record = USBRecord.command(Self.reset, device: 0x7F)
    record.bus = 0x0102
    let bytes = record.bytes(type, isBigEndian: isBigEndian)
    let transfer = try type.parse(bytes.byteSpan, isBigEndian: isBigEndian)
    let (bus, device, endpoint, kind) = (transfer.bus, transfer.device, transfer.endpoint, transfer.kind)
    #expect((bus, device, endpoint) == (0x0102, 0x7F, 0))
    #expect(kind == .control)
    let (isSubmit, isInput, setup, data, length) = (
      transfer.isSubmit, transfer.isInput, transfer.setup, transfer.data.array, transfer.originalLength
    )
    #expect(isSubmit && !isInput)
    #expect(setup?.requestType == 0x20)
    #expect(setup?.length == 3)
    #expect(data == Self.reset)
    #expect(length == 3)
  }

  @Test(arguments: variants)
  func commandsEventsAndData(type: USBLinkType, isBigEndian: Bool) throws {
    var run = Run(type, isBigEndian: isBigEndian)
    try run.add(.command(Self.reset))
    // The other side of each transfer brings nothing.
    try run.add(USBRecord(endpoint: 0, kind: .control, isSubmit: false, stage: 3))
    try run.add(USBRecord(endpoint: 0x81, kind: .interrupt, isSubmit: true))
    try run.add(.event(Self.complete))
    try run.add(USBRecord(endpoint: 0x82, kind: .bulk, isSubmit: true))
    try run.add(.data(Self.notification, isSent: false))
    try run.add(.data(hex("4000 0500 0100 0400 1e"), isSent: true))
    try run.add(USBRecord(endpoint: 0x02, kind: .bulk, isSubmit: false))
    try run.add(USBRecord(endpoint: 0x83, kind: .isochronous, isSubmit: false, data: [1, 2, 3]))
    #expect(
      run.packets == [
        "0 command sent 030c00", "0 event received 0e0401030c00", "0 aclData received 40200b00070004001b0c0006480102",
        "0 aclData sent 40000500010004001e",
      ])
    #expect(run.outcomes == [.packet, .nothing, .nothing, .packet, .nothing, .packet, .packet, .nothing, .synchronous])
    #expect(run.bluetooth.count(of: .packet) == 4)
    #expect(run.bluetooth.count(of: .synchronous) == 1)
  }

  /// Older versions of USBPcap record setup, data and status of a control transfer one by one.
  @Test func aCommandInStages() throws {
    var run = Run(.usbPcap)
    var setup = USBRecord.command(Self.reset)
    setup.data = []
    try run.add(setup)
    try run.add(USBRecord(endpoint: 0, kind: .control, isSubmit: true, data: Self.reset, stage: 1))
    try run.add(USBRecord(endpoint: 0, kind: .control, isSubmit: false, stage: 2))
    #expect(run.packets == ["0 command sent 030c00"])
    #expect(run.outcomes == [.otherDevice, .packet, .nothing])
  }

  @Test(arguments: [16, 64])
  func longEventsComeInParts(size: Int) throws {
    var run = Run()
    try run.add(.command(Self.reset))
    let event = [0x3E, 200, 0x0D] + (0..<199).map { UInt8($0) }
    for start in stride(from: 0, to: event.count, by: size) { try run.add(.event(Array(event[start..<min(start + size, event.count)]))) }
    try run.add(.event(Self.complete))
    #expect(run.packets.dropFirst() == ["0 event received \(Hexadecimal.encode(event))", "0 event received 0e0401030c00"])
    #expect(run.bluetooth.count(of: .part) == (event.count - 1) / size)
    #expect(run.bluetooth.droppedPackets == 0)
  }

  @Test func longDataComeInPartsOfBothDirections() throws {
    var run = Run()
    try run.add(.command(Self.reset))
    let packet = hex("4020 6400") + (0..<100).map { UInt8($0) }
    let other = hex("4000 6400") + (0..<100).map { UInt8($0) }
    for start in [0, 52] {
      try run.add(.data(Array(packet[start..<(start + 52)]), isSent: false))
      try run.add(.data(Array(other[start..<(start + 52)]), isSent: true))
    }
    #expect(
      run.packets.dropFirst() == [
        "0 aclData received \(Hexadecimal.encode(packet))", "0 aclData sent \(Hexadecimal.encode(other))",
      ])
  }

  @Test func aLostPartCostsOnePacket() throws {
    var run = Run()
    try run.add(.command(Self.reset))
    let event = [0x3E, 40, 0x0D] + (0..<39).map { UInt8($0) }
    // The third part is missing; a short transfer that is an event itself begins anew.
    try run.add(.event(Array(event[0..<16])))
    try run.add(.event(Array(event[16..<32])))
    try run.add(.event(Self.complete))
    // A transfer longer than the parts before begins anew, too.
    try run.add(.event(Array(event[0..<16])))
    try run.add(.event(hex("3e11 02") + [UInt8](repeating: 0, count: 16)))
    #expect(run.packets.dropFirst() == ["0 event received 0e0401030c00", "0 event received 3e1102" + String(repeating: "00", count: 16)])
    #expect(run.bluetooth.droppedPackets == 2)
  }

  @Test func cutRecordsKeepTheirLength() throws {
    var run = Run()
    try run.add(.command(Self.reset))
    try run.add(.data(Array(Self.notification.prefix(8)), isSent: false, length: 15))
    try run.add(.data(Array(Self.notification.prefix(2)), isSent: false, length: 15))
    try run.add(.data([], isSent: false, length: 15))
    // A cut part leaves a hole: what follows has no place.
    try run.add(.event(hex("3e14 0d0102"), length: 16))
    try run.add(.event(hex("0a0b0c0d0e0f")))
    #expect(
      run.packets.dropFirst() == [
        "0 aclData received 40200b0007000400 of 15", "0 aclData received 4020 of 15", "0 event received 3e140d0102 of 22",
      ])
    #expect(run.outcomes.suffix(5) == [.packet, .packet, .missingData, .part, .packet])
  }

  @Test(arguments: variants)
  func controllersAreKnownByTheirDescriptor(type: USBLinkType, isBigEndian: Bool) throws {
    var run = Run(type, isBigEndian: isBigEndian)
    let request = hex("80 06 0001 0000 1200")
    func descriptor(_ kind: String, device: UInt8) throws {
      try run.add(USBRecord(device: device, endpoint: 0x80, kind: .control, isSubmit: true, setup: request))
      try run.add(
        USBRecord(
          device: device, endpoint: 0x80, kind: .control, isSubmit: false, data: hex("1201 0002 \(kind) 40 870a 2b00 0100 00 00 00 01"),
          stage: 3))
    }
    let vendorEvent = hex("ff02 aabb")
    try run.add(.event(vendorEvent))
    try descriptor("e00101", device: 5)
    try run.add(.event(vendorEvent))
    // A device whose interfaces tell what it is, and one that is something else.
    try descriptor("000000", device: 6)
    try run.add(.event(vendorEvent, device: 6))
    try run.add(.event(Self.complete, device: 6))
    try descriptor("090001", device: 6)
    try run.add(.event(vendorEvent, device: 6))
    #expect(run.packets == ["0 event received ff02aabb", "1 event received 0e0401030c00"])
    #expect(run.bluetooth.count(of: .otherDevice) > 3)
  }

  @Test func adaptersAreNumberedAsTheyAppear() throws {
    var run = Run()
    try run.add(.event(hex("0100020003000400"), device: 3))
    try run.add(.event(Self.complete, device: 9))
    try run.add(.command(Self.reset, device: 4))
    try run.add(.event(Self.complete, device: 9))
    var elsewhere = USBRecord.event(Self.complete, device: 9)
    elsewhere.bus = 2
    try run.add(elsewhere)
    #expect(run.packets.map { $0.prefix(7) } == ["0 event", "1 comma", "0 event", "2 event"])
  }

  /// Reports of a mouse, a block of a disk, and an ACL packet on a handle that is none.
  @Test(arguments: [
    USBRecord.event(hex("01020003")), .event(hex("0504 0102")), .event(hex("3e02 ff01")), .event(hex("1306 01 4000")),
    .data(hex("4020 0400 0000 0400"), isSent: false), .data(hex("402f 0400 0000 0400"), isSent: false),
    .data(hex("4010 0400 0000 0400"), isSent: false), .data(hex("4020 0400 0000 4000"), isSent: false),
    .data([UInt8](repeating: 0, count: 512), isSent: false), .data(hex("55534243"), isSent: true), .command(hex("030c01")),
    USBRecord(endpoint: 0x84, kind: .bulk, isSubmit: false, data: notification),
  ])
  func otherDevicesYieldNothing(_ record: USBRecord) throws {
    var run = Run()
    let isPacket = record.kind == .bulk && record.data.count == 8 && record.data[1] == 0x20 && record.data[6] == 4
    try run.add(record)
    #expect(run.packets.isEmpty != isPacket)
    #expect(run.outcomes == [isPacket ? .packet : .otherDevice])
  }

  @Test func devicesAreBounded() throws {
    var run = Run(.usbPcap)
    for bus in 0..<300 {
      var record = USBRecord.event(Self.complete)
      record.bus = UInt16(bus)
      try run.add(record)
    }
    #expect(run.packets.count == USBBluetooth.deviceLimit)
    #expect(run.bluetooth.count(of: .otherDevice) == 300 - USBBluetooth.deviceLimit)
  }

  @Test func isochronousDescriptorsAreNoData() throws {
    var bytes = USBRecord(endpoint: 0x83, kind: .isochronous, isSubmit: false, data: [1, 2]).bytes(.usbmonMapped)
    bytes[60] = 1
    bytes.insert(contentsOf: [UInt8](repeating: 9, count: 16), at: 64)
    let data = try USBLinkType.usbmonMapped.parse(bytes.byteSpan, isBigEndian: false).data.array
    #expect(data == [1, 2])
    bytes[61] = 1
    #expect(throws: LinkTypeError.tooShort(needed: 64 + 16 * 257, available: 82)) {
      _ = try USBLinkType.usbmonMapped.parse(bytes.byteSpan, isBigEndian: false)
    }
  }

  @Test func refusals() {
    var odd = USBRecord.event(Self.complete).bytes(.usbmon)
    odd[8] = 0x58
    #expect(throws: LinkTypeError.notAPacket(0x58)) { _ = try USBLinkType.usbmon.parse(odd.byteSpan, isBigEndian: false) }
    odd[8] = 0x43
    odd[9] = 4
    #expect(throws: LinkTypeError.notAPacket(4)) { _ = try USBLinkType.usbmon.parse(odd.byteSpan, isBigEndian: false) }
    #expect(throws: LinkTypeError.tooShort(needed: 64, available: 54)) {
      _ = try USBLinkType.usbmonMapped.parse(odd.byteSpan, isBigEndian: false)
    }
    var windows = USBRecord.event(Self.complete).bytes(.usbPcap)
    windows[22] = 0xFE
    #expect(throws: LinkTypeError.notAPacket(0xFE)) { _ = try USBLinkType.usbPcap.parse(windows.byteSpan, isBigEndian: false) }
    windows[22] = 2
    #expect(throws: LinkTypeError.badHeaderLength(27)) { _ = try USBLinkType.usbPcap.parse(windows.byteSpan, isBigEndian: false) }
    windows[0] = 99
    #expect(throws: LinkTypeError.tooShort(needed: 99, available: 33)) {
      _ = try USBLinkType.usbPcap.parse(windows.byteSpan, isBigEndian: false)
    }
  }

  @Test(arguments: variants)
  func mutationsNeverTrap(type: USBLinkType, isBigEndian: Bool) throws {
    var random = SeededGenerator(seed: 0x05B)
    let samples: [USBRecord] = [
      .command(Self.reset), .event(Self.complete), .event(hex("3e30 0d01")), .data(Self.notification, isSent: false),
      .data(hex("4000 f000 0100 0400 1e"), isSent: true), .event([UInt8](repeating: 1, count: 16)), .event([0x3E]),
      USBRecord(endpoint: 0x80, kind: .control, isSubmit: true, setup: hex("80 06 0001 0000 1200")),
      USBRecord(endpoint: 0x80, kind: .control, isSubmit: false, data: hex("1201 0002 e00101 40"), stage: 3),
    ]
    var run = Run(type, isBigEndian: isBigEndian)
    for _ in 0..<10_000 {
      let sample = samples[Int.random(in: 0..<samples.count, using: &random)].bytes(type, isBigEndian: isBigEndian)
      try? run.add(random.mutate(sample))
    }
    #expect(run.packets.count > 100)
  }
}
