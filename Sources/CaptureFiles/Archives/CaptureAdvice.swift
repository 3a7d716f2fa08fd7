/// How to get a log from a phone, for errors.
enum CaptureAdvice {
  static let android =
    "in Android's developer options set 'Enable Bluetooth HCI snoop log' to full (Enabled, not Filtered), switch Bluetooth off and on, "
    + "reproduce, and take a bug report"
  static let apple =
    "install Apple's Bluetooth logging profile on the device (developer.apple.com, Profiles and Logs), reproduce, and take a sysdiagnose"

  /// What to say of an archive, told by the names in it.
  static func text(for names: some Sequence<String>) -> String {
    var (isAndroid, isApple) = (false, false)
    for name in names {
      let name = name.lowercased()
      isAndroid = isAndroid || isAndroidName(name)
      isApple = isApple || name.contains("sysdiagnose") || name.hasSuffix(".pklg") || name.hasSuffix(".tracev3")
    }
    if isAndroid != isApple { return isAndroid ? android : apple }
    return "Android: \(android); iOS: \(apple)"
  }

  /// Whether a lower-case path stands in a bug report.
  private static func isAndroidName(_ name: String) -> Bool {
    ["bugreport", "dumpstate", "main_entry.txt", "fs/data/", "btsnoo"].contains { name.contains($0) }
  }
}
