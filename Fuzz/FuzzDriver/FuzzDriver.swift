import Foundation
import FuzzTargets

@_extern(c, "LLVMFuzzerRunDriver")
func runLibFuzzer(
  _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Runs libFuzzer on the target that the environment names, or writes the inputs to begin with.
@main
enum FuzzDriver {
  static let target = ProcessInfo.processInfo.environment["UNDERSTUDY_FUZZ_TARGET"].flatMap(FuzzTarget.init(rawValue:))

  static func main() throws {
    let arguments = CommandLine.arguments
    if arguments.count == 3, arguments[1] == "--write-seeds" { return try Seeds.write(to: URL(filePath: arguments[2])) }
    if arguments.count == 2, arguments[1] == "--targets" {
      for target in FuzzTarget.allCases { print(target.rawValue, target.maximumByteCount) }
      return
    }
    guard target != nil else {
      print("UNDERSTUDY_FUZZ_TARGET has to be one of: \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", "))")
      exit(4)
    }
    var count = CommandLine.argc
    var values = CommandLine.unsafeArgv
    exit(runLibFuzzer(&count, &values, { FuzzDriver.run($0, $1) }))
  }

  /// 0, or −1 for what is not to be kept in the corpus.
  static func run(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let target else { return -1 }
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let broken = target.brokenPromises(bytes)
    guard broken.isEmpty else { fatalError("broken promises:\n" + broken.joined(separator: "\n")) }
    return target.wants(bytes) ? 0 : -1
  }
}
