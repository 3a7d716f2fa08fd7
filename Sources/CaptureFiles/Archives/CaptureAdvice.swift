/// How to get a log from a phone, for errors.
enum CaptureAdvice {
  static let android =
    "in Android's developer options set 'Enable Bluetooth HCI snoop log' to full (Enabled, not Filtered), switch Bluetooth off and on, "
    + "reproduce, and take a bug report"
  static let apple =
    "install Apple's Bluetooth logging profile on the device (developer.apple.com, Profiles and Logs), reproduce, and take a sysdiagnose"

  static let both = "Android: \(android); iOS: \(apple)"

  /// What to say of an archive, told by the names in it.
  static func text(for names: some Sequence<String>) -> String {
    let kinds = Set(names.compactMap(kind))
    guard kinds.count == 1, let kind = kinds.first else { return both }
    return kind == .android ? android : apple
  }

  /// Whether a path is one that only a phone's own archive has.
  static func isFromPhone(_ path: String) -> Bool { kind(path) != nil }

  private enum Kind { case android, apple }

  private static func kind(_ path: String) -> Kind? {
    let path = path.lowercased()
    if ["bugreport", "dumpstate", "main_entry.txt", "fs/data/", "btsnoo"].contains(where: { path.contains($0) }) { return .android }
    return path.contains("sysdiagnose") || path.hasSuffix(".pklg") || path.hasSuffix(".tracev3") ? .apple : nil
  }
}
