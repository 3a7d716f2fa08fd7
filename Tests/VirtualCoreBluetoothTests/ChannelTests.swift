import CoreBluetooth
import Foundation
import ReplayTesting
import XCTest

/// L2CAP channels through the framework's calls and Foundation's streams (6.7, "L2CAP: keep the channel object or it closes").
final class ChannelTests: ReplayTestCase {
  private static let ends = """
    central: { mtu: 2048, mps: 247, credits: 10 }, peripheral: { mtu: 8, mps: 64, credits: 4 }
    """

  private static func scenario(_ entries: String) throws -> Scenario {
    try Scenario(
      reading: """
        { format: "understudy/1",
          device: { name: "Box", advertising: { data: "020106", interval: 100, rssi: -50 } },
          database: [ { handle: 1, service: "ABCD", end: 3 },
            { handle: 2, characteristic: "ABDD3056-28FA-441D-A470-55A75A52553A", value: 3, properties: ["read"], content: "8000" } ],
          sessions: [ { entries: [ \(entries) ] } ] }
        """)
  }

  /// A device that greets, answers the first SDU twice, and closes after the second.
  private static let talk = """
    { at: 100, openChannel: { channel: 1, psm: 0x0080, \(ends) }, answer: "ok", latency: 30, id: "open" },
    { at: 140, channelData: 1, value: "0102030405060708", by: "peripheral", after: "open", delay: 10 },
    { at: 200, channelData: 1, value: "aa", id: "ask" },
    { at: 210, channelData: 1, value: "bb01", by: "peripheral", after: "ask", delay: 5 },
    { at: 220, channelData: 1, value: "bb02", by: "peripheral", after: "ask", delay: 15 },
    { at: 300, channelData: 1, value: "ff", id: "bye" },
    { at: 310, closeChannel: 1, by: "peripheral", after: "bye", delay: 20 },
    """

  override func makeAir() throws -> VirtualAir { VirtualAir(scenarios: [try Self.scenario(Self.talk)]) }

  /// An app that opens the channel and keeps it, its streams on a run loop.
  private func talker(_ air: VirtualAir, loop: RunLoop? = .main) throws -> (PlainCentral, Talker) {
    let talker = Talker()
    let app = PlainCentral()
    app.whenDiscovered = { _, peripheral in peripheral.openL2CAPChannel(0x80) }
    app.whenOpened = { talker.take($0, on: loop) }
    return (app, talker)
  }

  // MARK: - Opening

  /// "streams are unopened and need run-loop scheduling"; the PSM may be read from its characteristic (4.7).
  func testAChannelIsOpened() throws {
    let app = PlainCentral()
    var channel: CBL2CAPChannel?
    app.whenDiscovered = { app, peripheral in
      if let psm = app.characteristics[CBUUIDL2CAPPSMCharacteristicString] { peripheral.readValue(for: psm) }
    }
    app.whenOpened = { channel = $0 }
    try air.run(until: app.calls.contains { $0.hasPrefix("value") })
    let data = try XCTUnwrap(app.characteristics[CBUUIDL2CAPPSMCharacteristicString]?.value)
    let psm = CBL2CAPPSM(data[0]) | CBL2CAPPSM(data[1]) << 8
    let asked = air.now
    app.peripheral?.openL2CAPChannel(psm)
    try air.run(until: channel != nil)
    XCTAssertEqual(air.now.duration(since: asked), .milliseconds(30))
    let opened = try XCTUnwrap(channel)
    XCTAssertEqual(opened.psm, 0x80)
    XCTAssertTrue(opened.peer === app.peripheral)
    XCTAssertEqual(opened.inputStream.streamStatus, .notOpen)
    XCTAssertEqual(opened.outputStream.streamStatus, .notOpen)
    XCTAssertFalse(opened.inputStream.hasBytesAvailable)
    XCTAssertFalse(opened.outputStream.hasSpaceAvailable)
    XCTAssertEqual(opened.outputStream.write([1], maxLength: 1), -1)
  }

  /// "observed errors … 582 bad PSM"; "didOpen carries no PSM on failure".
  func testAProtocolThatTheDeviceHasNotIsRefused() throws {
    let app = PlainCentral()
    app.whenDiscovered = { _, peripheral in peripheral.openL2CAPChannel(0x99) }
    try air.run(until: app.calls.contains { $0.hasPrefix("opened") })
    XCTAssertEqual(app.calls.last, "opened nothing: CBErrorDomain 582")
  }

  func testChannelsAreFoundByTheirProtocols() throws {
    let air = VirtualAir(scenarios: [
      try Self.scenario(
        """
        { at: 100, openChannel: { channel: 1, psm: 0x0080, \(Self.ends) }, answer: "ok", latency: 30 },
        { at: 200, openChannel: { channel: 2, psm: 0x0081, \(Self.ends) }, error: 4, latency: 10 },
        { at: 300, openChannel: { channel: 3, psm: 0x0081, \(Self.ends) }, answer: "ok", latency: 20 },
        """)
    ])
    try VirtualAir.$current.withValue(air) {
      let app = PlainCentral()
      var kept: [CBL2CAPChannel] = []
      app.whenOpened = { kept.append($0) }
      app.whenDiscovered = { _, peripheral in for psm: CBL2CAPPSM in [0x81, 0x81, 0x80] { peripheral.openL2CAPChannel(psm) } }
      try air.run(until: app.calls.filter { $0.hasPrefix("opened") }.count == 3)
      XCTAssertEqual(app.calls.suffix(3), ["opened nothing: CBErrorDomain 582", "opened 129", "opened 128"])
      XCTAssertEqual(kept.map(\.psm), [0x81, 0x80])
    }
  }

  // MARK: - Streams

  func testEventsComeOnTheMainRunLoop() throws {
    let (app, talker) = try talker(air)
    try air.run(until: talker.hasFailed)
    XCTAssertEqual(
      talker.events,
      [
        "in open", "out open", "out space", "in bytes 0102030405060708", "out space", "in bytes bb01", "in bytes bb02", "out space",
        "in error 431", "out error 431",
      ])
    XCTAssertTrue(talker.wasOnMain)
    XCTAssertEqual(app.peripheral?.state, .connected)
    XCTAssertTrue(air.verdict.passed, "\(air.verdict)")
    XCTAssertEqual(air.findings, [])
    XCTAssertTrue(air.log.text.contains("data on channel 1 aa"), air.log.text)
  }

  /// A run loop of the app's own thread: the air waits for what the delegate does there.
  func testEventsComeOnAnotherRunLoop() throws {
    for _ in 0..<10 {
      let air = try makeAir()
      try VirtualAir.$current.withValue(air) {
        let thread = LoopThread()
        defer { thread.stop() }
        let (app, talker) = try talker(air, loop: thread.loop)
        defer { XCTAssertEqual(app.peripheral?.state, .connected) }
        try air.run(until: talker.hasFailed)
        XCTAssertEqual(
          talker.events.filter { $0.hasPrefix("in") },
          ["in open", "in bytes 0102030405060708", "in bytes bb01", "in bytes bb02", "in error 431"])
        XCTAssertFalse(talker.wasOnMain)
        XCTAssertEqual(air.findings, [])
      }
    }
  }

  func testAStreamIsReadWithoutADelegate() throws {
    let app = PlainCentral()
    var channel: CBL2CAPChannel?
    app.whenDiscovered = { _, peripheral in peripheral.openL2CAPChannel(0x80) }
    app.whenOpened = { channel = $0 }
    try air.run(until: channel != nil)
    let (input, output) = try (XCTUnwrap(channel?.inputStream), XCTUnwrap(channel?.outputStream))
    input.open()
    output.open()
    XCTAssertEqual(input.streamStatus, .open)
    try air.run(until: input.hasBytesAvailable)
    XCTAssertEqual(Talker.read(input, 3), [1, 2, 3])
    XCTAssertEqual(Talker.read(input, 100), [4, 5, 6, 7, 8])
    XCTAssertEqual(Talker.read(input, 100), [])
    XCTAssertTrue(output.hasSpaceAvailable)
    XCTAssertEqual(output.write([0xAA], maxLength: 1), 1)
    air.advance(by: .milliseconds(50))
    XCTAssertEqual(Talker.read(input, 100), [0xBB, 1, 0xBB, 2])
    // Longer than the peripheral's MTU of 8 bytes: two SDUs.
    XCTAssertEqual(output.write(Array(0..<10), maxLength: 10), 10)
    air.runUntilIdle()
    XCTAssertEqual(
      air.log.lines.compactMap { line -> [UInt8]? in
        if case .procedure(true, .channelData(_, let bytes)) = line.event { bytes } else { nil }
      }, [[0xAA], Array(0..<8), [8, 9]])
    XCTAssertEqual(input.streamStatus, .error)
    XCTAssertEqual((input.streamError as NSError?)?.code, 431)
    XCTAssertEqual(output.write([1], maxLength: 1), -1)
  }

  /// What is not read is not told of again, and a stream that is scheduled late hears what it missed.
  func testEventsWaitForTheRunLoop() throws {
    let (app, talker) = try talker(air, loop: nil)
    try air.run(until: talker.channel != nil)
    air.advance(by: .seconds(1))
    XCTAssertEqual(talker.events, [])
    talker.channel?.inputStream.schedule(in: .main, forMode: .default)
    air.advance(by: .milliseconds(1))
    XCTAssertEqual(talker.events, ["in open", "in bytes 0102030405060708"])
    XCTAssertEqual(app.peripheral?.state, .connected)
  }

  // MARK: - Ends

  /// "keep the channel object or it closes", with the error "436 local close".
  func testAChannelThatNobodyHoldsIsClosed() throws {
    let app = PlainCentral()
    var input: InputStream?
    app.whenDiscovered = { _, peripheral in peripheral.openL2CAPChannel(0x80) }
    app.whenOpened = { input = $0.inputStream }
    try air.run(until: input != nil)
    input?.open()
    air.runUntilIdle()
    XCTAssertTrue(
      air.log.lines.contains { if case .procedure(true, .closeChannel(1)) = $0.event { true } else { false } }, air.log.text)
    XCTAssertEqual(input?.streamStatus, .error)
    XCTAssertEqual((input?.streamError as NSError?)?.code, 436)
  }

  func testAStreamThatIsClosedClosesTheChannel() throws {
    let (app, talker) = try talker(air)
    try air.run(until: talker.events.contains("out space"))
    talker.channel?.inputStream.close()
    air.runUntilIdle()
    XCTAssertEqual(talker.events.last, "out error 436")
    XCTAssertEqual(app.peripheral?.state, .connected)
    XCTAssertEqual(talker.channel?.inputStream.streamStatus, .closed)
  }

  func testTheLinksEndIsTheChannels() throws {
    air.inject(try Fault("disconnect:0x13@time:1s"))
    let (app, talker) = try talker(air)
    talker.isSilent = true
    try air.run(until: app.calls.contains { $0.hasPrefix("disconnected") })
    air.runUntilIdle()
    XCTAssertEqual(talker.events.suffix(2), ["in end", "out end"])
    XCTAssertEqual(talker.channel?.outputStream.streamStatus, .atEnd)
    XCTAssertEqual(talker.channel?.outputStream.write([1], maxLength: 1), -1)
  }

  /// A thread of the app's that reads without a delegate waits for bytes, and for the end.
  func testAThreadWaitsForBytes() throws {
    let app = PlainCentral()
    let done = Guarded<[UInt8]?>(nil)
    var channel: CBL2CAPChannel?
    app.whenDiscovered = { _, peripheral in peripheral.openL2CAPChannel(0x80) }
    app.whenOpened = { opened in
      channel = opened
      let input = Handed(opened.inputStream)
      Thread.detachNewThread {
        input.value?.open()
        var all: [UInt8] = []
        while let value = input.value, case let part = Talker.read(value, 5), !part.isEmpty { all += part }
        done.value = all
      }
    }
    try air.run(until: channel != nil)
    air.advance(by: .seconds(1))
    channel = nil
    try air.run(until: done.value != nil)
    XCTAssertEqual(done.value, [1, 2, 3, 4, 5, 6, 7, 8])
  }
}

/// A value that is handed to another thread.
private struct Handed<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}

/// A thread that runs its run loop.
private final class LoopThread: @unchecked Sendable {
  private(set) var loop: RunLoop?
  private let stopped = Guarded(false)

  init() {
    let ready = DispatchSemaphore(value: 0)
    Thread.detachNewThread { [self] in
      loop = RunLoop.current
      loop?.add(Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }, forMode: .default)
      ready.signal()
      while !stopped.value { _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05)) }
    }
    ready.wait()
  }

  func stop() { stopped.value = true }
}

/// An app's part of a channel: it answers the greeting, ends the talk after the second answer, and keeps all events in words.
private final class Talker: NSObject, StreamDelegate, @unchecked Sendable {
  private(set) var channel: CBL2CAPChannel?
  private let lines = Guarded<[String]>([])
  private let onMain = Guarded(true)
  private var answers = 0
  var isSilent = false
  var events: [String] { lines.value }
  var hasFailed: Bool { events.filter { $0.contains("error") }.count == 2 }
  var wasOnMain: Bool { onMain.value }

  func take(_ channel: CBL2CAPChannel, on loop: RunLoop?) {
    self.channel = channel
    for stream in [channel.inputStream, channel.outputStream] as [Stream?] {
      stream?.delegate = self
      if let loop { stream?.schedule(in: loop, forMode: .default) }
      stream?.open()
    }
  }

  static func read(_ stream: InputStream, _ count: Int) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: count)
    let read = stream.read(&buffer, maxLength: count)
    return Array(buffer.prefix(max(0, read)))
  }

  func stream(_ stream: Stream, handle event: Stream.Event) {
    onMain.value = onMain.value && Thread.isMainThread
    let name = stream === channel?.inputStream ? "in" : "out"
    switch event {
    case .openCompleted: note("\(name) open")
    case .hasSpaceAvailable: note("\(name) space")
    case .endEncountered: note("\(name) end")
    case .errorOccurred: note("\(name) error \((stream.streamError as NSError?)?.code ?? 0)")
    case .hasBytesAvailable:
      guard let input = stream as? InputStream else { return }
      let bytes = Self.read(input, 100)
      note("\(name) bytes \(bytes.map { String(format: "%02x", $0) }.joined())")
      if isSilent { return }
      if bytes.first == 1 { _ = channel?.outputStream.write([0xAA], maxLength: 1) }
      answers += bytes.first == 0xBB ? 1 : 0
      if answers == 2 { _ = channel?.outputStream.write([0xFF], maxLength: 1) }
    default: note("\(name) \(event.rawValue)")
    }
  }

  private func note(_ line: String) { lines.value += [line] }
}
