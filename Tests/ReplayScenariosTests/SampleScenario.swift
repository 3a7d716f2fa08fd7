import ReplayScenarios

/// A scenario that shows every kind of attribute, action, answer and anchor once, as a person would meet them.
let sample: Scenario = {
  let second = Duration.milliseconds(1000)
  let database = [
    Attribute(
      handle: AttributeHandle(1), kind: .service(uuid: BluetoothUUID(UInt16(0x1800)), primary: true, end: AttributeHandle(5)),
      provenance: .discovered),
    Attribute(
      handle: AttributeHandle(2), kind: .characteristic(uuid: BluetoothUUID(UInt16(0x2A00)), properties: 0x02, value: AttributeHandle(3)),
      content: [UInt8]("Heart\nStrap".utf8), provenance: .discovered),
    Attribute(
      handle: AttributeHandle(9), kind: .service(uuid: BluetoothUUID(UInt16(0x180D)), primary: true, end: AttributeHandle(12)),
      provenance: .discovered),
    Attribute(
      handle: AttributeHandle(10), kind: .characteristic(uuid: BluetoothUUID(UInt16(0x2A37)), properties: 0x10, value: AttributeHandle(11)),
      readError: .readNotPermitted, provenance: .discovered),
    Attribute(
      handle: AttributeHandle(12), kind: .descriptor(uuid: BluetoothUUID(UInt16(0x2902))), content: [0, 0], provenance: .inferred),
    Attribute(
      handle: AttributeHandle(16),
      kind: .service(
        uuid: BluetoothUUID(high: 0x6E40_0001_B5A3_F393, low: 0xE0A9_E50E_24DC_CA9E), primary: false, end: AttributeHandle(0xFFFF))),
    Attribute(
      handle: AttributeHandle(17), kind: .include(uuid: BluetoothUUID(UInt16(0x180D)), start: AttributeHandle(9), end: AttributeHandle(12))),
    Attribute(
      handle: AttributeHandle(18),
      kind: .characteristic(
        uuid: BluetoothUUID(high: 0x6E40_0002_B5A3_F393, low: 0xE0A9_E50E_24DC_CA9E), properties: 0x2E, value: AttributeHandle(19)),
      note: "says \"hello\""),
    Attribute(handle: AttributeHandle(20), kind: .unknown, writeError: .writeNotPermitted, provenance: .unknown),
  ]
  let entries = [
    TimelineEntry(at: .microseconds(12_345), action: .exchangeMTU(185), answer: .mtu(247), latency: .microseconds(3_100)),
    TimelineEntry(
      at: .milliseconds(20), action: .pdu([0x10, 1, 0, 0xFF, 0xFF, 0, 0x28]), answer: .pdu([0x11, 6, 1, 0, 5, 0, 0, 0x18]),
      latency: .microseconds(89_102)),
    TimelineEntry(
      at: .milliseconds(30), action: .read(AttributeHandle(3)), answer: .value([UInt8]("Heart".utf8)), latency: .milliseconds(30)),
    TimelineEntry(
      at: .milliseconds(31), action: .read(AttributeHandle(11)), answer: .error(.insufficientAuthentication), latency: .milliseconds(30)),
    TimelineEntry(
      at: .milliseconds(32), action: .read(AttributeHandle(19)), answer: .value([UInt8](repeating: 0xAB, count: 24)),
      parts: [
        .init(offset: .zero, count: 22, latency: .microseconds(12_100)),
        .init(offset: .microseconds(15_200), count: 2, latency: .milliseconds(12)),
      ]),
    TimelineEntry(at: .milliseconds(33), action: .readBlob(AttributeHandle(19), offset: 22), answer: .value([]), latency: .milliseconds(3)),
    TimelineEntry(id: "w1", at: .milliseconds(40), action: .write(AttributeHandle(12), [1, 0]), answer: .ok, latency: .milliseconds(30)),
    TimelineEntry(at: .milliseconds(41), action: .writeCommand(AttributeHandle(19), [UInt8]("ports!".utf8))),
    TimelineEntry(
      at: .nanoseconds(52_200_001), origin: .peripheral, action: .notify(AttributeHandle(11), [6, 0x48]),
      anchor: Anchor(.request("w1"), delay: .nanoseconds(3_200_001))),
    TimelineEntry(
      at: .milliseconds(53), origin: .peripheral, action: .indicate(AttributeHandle(19), [6]), answer: .ok, latency: .milliseconds(1),
      anchor: Anchor(.entry("w1"), delay: .zero)),
    TimelineEntry(
      at: .milliseconds(60), origin: .peripheral, action: .exchangeMTU(128), answer: TimelineEntry.Answer.none,
      anchor: Anchor(.connection, delay: .milliseconds(60))),
    TimelineEntry(
      at: .milliseconds(70), action: .write(AttributeHandle(19), [1, 2, 3]), answer: .ok,
      parts: [
        .init(offset: .zero, count: 3, latency: .milliseconds(2)), .init(offset: .milliseconds(4), count: nil, latency: .milliseconds(2)),
      ]),
    TimelineEntry(
      at: .milliseconds(80), origin: .peripheral, action: .link(.securityRequest([.bonding, .mitm])),
      anchor: Anchor(.connection, delay: .milliseconds(80))),
    TimelineEntry(
      id: "p", at: .milliseconds(90),
      action: .link(
        .pair(
          Pairing(
            method: .justWorks, isSecureConnections: true,
            central: Pairing.End(
              PairingFeatures(
                io: .keyboardDisplay, authentication: [.bonding, .mitm, .secureConnections], initiatorKeys: [.identity],
                responderKeys: [.identity, .signing])),
            peripheral: Pairing.End(
              PairingFeatures(
                io: .noInputNoOutput, authentication: [.bonding, .secureConnections], responderKeys: [.identity]), sent: .identity)))),
      answer: .ok, latency: .milliseconds(400)),
    TimelineEntry(id: "c", at: .milliseconds(500), action: .link(.encrypt(.paired)), answer: .ok, latency: .milliseconds(60)),
    TimelineEntry(at: .milliseconds(600), action: .link(.encrypt(.bonded)), answer: .refused(6), latency: .milliseconds(60)),
    TimelineEntry(
      at: .milliseconds(700), origin: .peripheral,
      action: .link(
        .requestParameters(ConnectionParameterRange(intervalMinimum: 12, intervalMaximum: 24, latency: 4, timeout: 500))), answer: .ok,
      latency: .milliseconds(30), anchor: Anchor(.entry("c"), delay: .milliseconds(140))),
    TimelineEntry(
      at: .milliseconds(760), action: .link(.updateParameters(ConnectionParameters(interval: 24, latency: 4, timeout: 500)))),
    TimelineEntry(at: .milliseconds(770), action: .link(.updatePHY(central: .le2M, peripheral: LinkPHY(rawValue: 9)))),
    TimelineEntry(at: .milliseconds(780), action: .link(.updateDataLength(central: 251, peripheral: 27))),
    TimelineEntry(
      at: .milliseconds(800),
      action: .link(
        .openChannel(
          L2CAPChannelOpening(
            channel: 1, psm: 0x27, central: L2CAPChannelParameters(mtu: 247, mps: 247, credits: 5),
            peripheral: L2CAPChannelParameters(mtu: 128, mps: 64, credits: 2)))), answer: .ok, latency: .milliseconds(40)),
    TimelineEntry(at: .milliseconds(850), action: .read(AttributeHandle(3)), bearer: 1, answer: .value([0x41]), latency: .milliseconds(9)),
    TimelineEntry(
      at: .milliseconds(900), action: .link(.openChannel(L2CAPChannelOpening(channel: 2, psm: 0x80))), answer: .refused(0x0102)),
    TimelineEntry(at: .milliseconds(910), action: .link(.openChannel(L2CAPChannelOpening(channel: 2, psm: 0x80))), answer: .ok),
    TimelineEntry(at: .milliseconds(920), action: .link(.channelData(channel: 2, [1, 2, 3]))),
    TimelineEntry(
      at: .milliseconds(930), origin: .peripheral, action: .link(.closeChannel(2)), anchor: Anchor(.connection, delay: .milliseconds(930))),
    TimelineEntry(at: second, action: .read(AttributeHandle(3)), answer: .pdu([0x0B]), note: "odd"),
    TimelineEntry(
      at: second * 2, origin: .peripheral, action: .disconnect(.remoteUserTerminatedConnection), anchor: Anchor(.previous, delay: second)),
  ]
  return Scenario(
    origin: Origin(file: "heart-strap.btsnoop", time: "2026-11-30T10:00:00.123456Z", capturedAt: .central, tool: "understudy 0.1.0"),
    note: "a person's words", match: .strict, unmatched: .error,
    device: Device(
      address: BluetoothAddress(0xC011_2233_4455, kind: .random), addresses: [BluetoothAddress(0x5A77_1020_3040, kind: .random)],
      name: "Heart Strap", identifier: "6C1F93A2-0D4B-4E57-9B60-2F8A51C3D7E4",
      advertising: Advertising(
        data: [2, 1, 6], scanResponse: [3, 9, 0x48, 0x53], connectable: false, interval: .microseconds(152_500), rssi: -71,
        provenance: .inferred),
      sendsUnsubscribed: true, mtu: 247),
    database: database,
    sessions: [
      Session(
        link: 1, time: "2026-11-30T10:00:00.123456Z", parameters: ConnectionParameters(interval: 36, latency: 0, timeout: 500),
        complete: false, subscriptions: [AttributeHandle(12): 1], entries: entries, note: "the first"),
      Session(link: 2, address: BluetoothAddress(0x5A77_1020_3040, kind: .random), bonded: true, failed: .connectionFailedToBeEstablished),
      Session(entries: [
        TimelineEntry(at: second, origin: .peripheral, action: .vanish, anchor: Anchor(.connection, delay: second))
      ]),
    ])
}()
