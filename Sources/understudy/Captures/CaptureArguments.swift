import CaptureFiles

/// Options of every command that reads captures.
enum CaptureArguments {
  static let options: [Option] = [
    Option("--raw-times", help: "Keep the recorded times, also where they go back or jump."),
    Option("--user-dlt", value: "N=KIND", repeats: true, help: "What pcap's user link type N (147-162) holds: \(kindNames)."),
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
    return options
  }

  private static let kindNames = LinkType.allCases.map(\.shortName).joined(separator: ", ")
}
