import Foundation

/// A headless browser that looks at report pages.
public enum Browser {
  /// Why tests with it are skipped.
  public static let missing = "Chromium or Python is not installed; scripts/deps --all installs both"
  /// Whether it can be asked.
  public static let isHere =
    InstalledTool.path("chromium", "chromium-browser", "google-chrome", "google-chrome-stable") != nil
    && InstalledTool.path("python3") != nil

  /// Has a script of `Tests/Browser` look at pages.
  public static func look(_ arguments: [String], script: String = "check_page.py") throws -> BuiltProgram.Result {
    try BuiltProgram.runTool("python3", ["-B", Repository.root.appending(path: "Tests/Browser/\(script)").path] + arguments)
  }
}
