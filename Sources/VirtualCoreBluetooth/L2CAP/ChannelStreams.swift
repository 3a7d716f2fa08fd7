import ByteParsing
import Foundation

/// The stream of what comes over a channel.
final class ChannelInputStream: InputStream {
  private let port: StreamPort

  init(_ pipe: ChannelPipe) {
    port = StreamPort(pipe, isReading: true)
    super.init(data: Data())
    port.bind(self)
  }

  override var delegate: (any StreamDelegate)? {
    get { port.delegate }
    set { port.delegate = newValue }
  }
  override var streamStatus: Stream.Status { port.status }
  override var streamError: (any Error)? { port.error }
  override func open() { port.open() }
  override func close() { port.close() }
  override func schedule(in loop: RunLoop, forMode mode: RunLoop.Mode) { port.schedule(in: loop, mode) }
  override func remove(from loop: RunLoop, forMode mode: RunLoop.Mode) { port.remove(from: loop, mode) }
  override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
  override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

  override var hasBytesAvailable: Bool { port.isOpen && port.pipe.hasBytes }

  /// The number of bytes that were read: 0 at the end, or on the main thread where none are there, -1 where the channel failed.
  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength count: Int) -> Int {
    guard port.isOpen else { return -1 }
    let bytes = port.pipe.read(count)
    ForeignBuffer.write(bytes, to: buffer)
    port.answered()
    return bytes.isEmpty && port.error != nil ? -1 : bytes.count
  }

  override func getBuffer(
    _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length count: UnsafeMutablePointer<Int>
  ) -> Bool { false }
}

/// The stream of what goes over a channel.
final class ChannelOutputStream: OutputStream {
  private var port: StreamPort?

  convenience init(_ pipe: ChannelPipe) {
    self.init(toMemory: ())
    let port = StreamPort(pipe, isReading: false)
    self.port = port
    port.bind(self)
  }

  required init(toMemory: ()) { super.init(toMemory: ()) }

  override var delegate: (any StreamDelegate)? {
    get { port?.delegate }
    set { port?.delegate = newValue }
  }
  override var streamStatus: Stream.Status { port?.status ?? .closed }
  override var streamError: (any Error)? { port?.error }
  override func open() { port?.open() }
  override func close() { port?.close() }
  override func schedule(in loop: RunLoop, forMode mode: RunLoop.Mode) { port?.schedule(in: loop, mode) }
  override func remove(from loop: RunLoop, forMode mode: RunLoop.Mode) { port?.remove(from: loop, mode) }
  override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
  override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

  override var hasSpaceAvailable: Bool { port.map { $0.isOpen && $0.pipe.hasRoom } ?? false }

  /// The number of bytes that were taken: 0 where there is no room, -1 where the channel failed.
  override func write(_ buffer: UnsafePointer<UInt8>, maxLength count: Int) -> Int {
    guard let port, port.isOpen, port.pipe.end(ofReading: false) == nil else { return -1 }
    port.answered()
    return port.pipe.write(ForeignBuffer.read(count, from: buffer))
  }
}
