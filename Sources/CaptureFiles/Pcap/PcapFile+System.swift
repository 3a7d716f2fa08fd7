import ByteParsing
import CUnderstudyPcap

/// A pcap file that libpcap reads from a byte source.
@safe
final class PcapFile {
  /// What libpcap says of the next packet.
  enum Step {
    case packet
    case end
    case failed(String)
  }

  private var source: any ByteSource
  private var scratch: [UInt8] = []
  /// Why the source could not be read; libpcap itself only sees that it ended.
  private(set) var sourceError: CaptureError?
  private var capture: OpaquePointer?
  private var header: UnsafeMutablePointer<pcap_pkthdr>?
  private var data: UnsafePointer<UInt8>?

  /// Opens the capture; throws libpcap's reason.
  init(_ source: any ByteSource, file: String) throws(CaptureError) {
    self.source = source
    var message = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
    unsafe capture = unsafe understudy_pcap_open(
      { context, buffer, count in
        guard let context = unsafe context, let buffer = unsafe buffer else { return -1 }
        return unsafe Unmanaged<PcapFile>.fromOpaque(context).takeUnretainedValue().read(into: buffer, count)
      }, Unmanaged.passUnretained(self).toOpaque(), &message)
    if let sourceError { throw sourceError }
    guard unsafe capture != nil else {
      let reason = message.prefix { $0 != 0 }.map { Character(UnicodeScalar(UInt8(bitPattern: $0))) }
      throw CaptureError(.damaged, file: file, byteOffset: 0, "is a pcap file that libpcap refuses: \(String(reason)); copy the file again")
    }
  }

  deinit { if let capture = unsafe capture { unsafe pcap_close(capture) } }

  private func read(into buffer: UnsafeMutablePointer<UInt8>, _ count: Int) -> Int {
    do {
      scratch.removeAll(keepingCapacity: true)
      let got = try source.read(count, into: &scratch)
      unsafe scratch.withUnsafeBufferPointer { bytes in
        if let start = bytes.baseAddress { unsafe buffer.update(from: start, count: got) }
      }
      return got
    } catch {
      sourceError = error
      return -1
    }
  }

  /// Goes on to the next packet.
  func next() -> Step {
    switch unsafe pcap_next_ex(capture, &header, &data) {
    case 1: return .packet
    case PCAP_ERROR_BREAK: return .end
    default: return .failed(unsafe String(cString: pcap_geterr(capture)))
    }
  }

  /// The length that the packet had, and its time.
  var lengthAndTime: (length: Int, time: CaptureTime) {
    guard let header = unsafe header?.pointee else { return (0, CaptureTime(seconds: 0, nanoseconds: 0)) }
    // Libpcap multiplies microseconds that it does not check.
    // It takes the 32 bits of the file as signed, which they are not: they last until 2106.
    let seconds = Int64(UInt32(truncatingIfNeeded: header.ts.tv_sec))
    let rest = CaptureTime(nanoseconds: Int64(header.ts.tv_usec))
    return (Int(header.len), rest.adding(CaptureTime(seconds: seconds, nanoseconds: 0)))
  }

  /// How many of the packet's bytes the file keeps.
  var keptLength: Int { unsafe Int(header?.pointee.caplen ?? 0) }

  /// The packet's bytes, until the next call of ``next()``.
  var bytes: RawSpan {
    @_lifetime(borrow self)
    get {
      guard let data = unsafe data else { return RawSpan() }
      let span = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(data), byteCount: keptLength)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }
}
