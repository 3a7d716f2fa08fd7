import ByteParsing
import CaptureFiles

/// Options of every command that reads captures.
enum CaptureArguments {
  static let options: [Option] = [
    Option("--raw-times", help: "Keep the recorded times, also where they go back or jump."),
    Option("--user-dlt", value: "N=KIND", repeats: true, help: "What pcap's user link type N (147-162) holds: \(kindNames)."),
  ]

  /// Options of those that tell devices apart.
  static let identityOptions: [Option] = [
    Option(
      "--irk", value: "KEY", repeats: true,
      help: "An identity resolving key, 32 hexadecimal digits, the most significant first: private addresses made with it are one device.")
  ]

  /// How the captures are to be read.
  static func options(_ arguments: Arguments) throws(UsageError) -> CaptureOptions {
    var options = CaptureOptions(keepsRawTimes: arguments.has("--raw-times"))
    for text in arguments.all("--user-dlt") {
      let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2, let number = UInt32(parts[0]), (147...162).contains(number) else {
        throw UsageError(description: "--user-dlt \(printable(text)): give a number from 147 to 162 and what it holds, as 147=le-ll")
      }
      guard let kind = LinkType(shortName: parts[1]) else {
        throw UsageError(description: "--user-dlt \(printable(text)): there are \(kindNames)")
      }
      options.userLinkTypes[number] = kind
    }
    for text in arguments.all("--irk") {
      guard let key = Hexadecimal.decode(text), key.count == 16 else {
        // A key is a secret, and is not repeated.
        throw UsageError(description: "--irk: an identity resolving key has 32 hexadecimal digits, as ec0234a357c8ad05341010a60a397d9b")
      }
      options.identityResolvingKeys.append(key)
    }
    return options
  }

  private static let kindNames = LinkType.allCases.map(\.shortName).joined(separator: ", ")
}
