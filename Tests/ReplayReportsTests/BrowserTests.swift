import Foundation
import ReplayReports
import TestSupport
import Testing

/// What users do with a page, done in a browser.
struct BrowserTests {
  @Test(.enabled(if: Browser.isHere, Comment(rawValue: Browser.missing)))
  func pagesWork() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "pages-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let pages = [("run", PageSamples.run), ("sweep", PageSamples.sweep), ("long", PageSamples.long)]
    let files = try pages.map { name, report in
      let file = folder.appending(path: "\(name).html").path
      try report.write(to: file)
      return file
    }
    let result = try Browser.look(files)
    #expect(result.code == 0, "\(result.output)\(result.errors)")
    #expect(result.output.components(separatedBy: "ok  ").count > 80)
    for line in result.output.split(separator: "\n") where line.hasPrefix("figure: ") { print(line) }
  }
}
