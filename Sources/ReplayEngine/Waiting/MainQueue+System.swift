#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Does what is on the main queue, without all else that a run loop's turn does, which takes several times as long.
///
/// Source: `_dispatch_main_queue_callback_4CF` of libdispatch, by which CoreFoundation does the same. Like a run loop's turn it does what is on
/// the queue when it begins, and nothing where a block of the queue runs already.
enum MainQueue {
  private typealias Callback = @convention(c) (UnsafeMutableRawPointer?) -> Void

  private static let callback: Callback? = {
    guard let symbol = unsafe dlsym(dlopen(nil, RTLD_NOW), "_dispatch_main_queue_callback_4CF") else { return nil }
    return unsafe unsafeBitCast(symbol, to: Callback.self)
  }()

  /// To be called on the main thread; `false` where the system has no such call.
  static func drain() -> Bool {
    guard let callback = unsafe callback else { return false }
    callback(nil)
    return true
  }
}
