import Foundation
import ReplayScenarios

extension Report {
  /// The report as one page of HTML that needs nothing else, neither a network nor a server.
  ///
  /// What is told stands in it as data, and is shown as text alone. The page lets its own style and script run, by their hashes, and nothing
  /// else.
  public var html: [UInt8] {
    let (style, script) = (PageStyle.text, PageScript.text)
    let policy =
      "default-src 'none'; script-src '\(Self.source(script))'; style-src '\(Self.source(style))'; base-uri 'none'; form-action 'none'"
    var page: [UInt8] = []
    page +=
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(policy)">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>\(XMLText.attribute(title))</title>
      <style>\(style)</style>
      </head>
      <body>
      <a class="skip" href="#main">Skip to the content</a>
      <header id="top"></header>
      <main id="main" tabindex="-1"><noscript>This report is shown by a script that it holds itself; allow scripts to see it.</noscript></main>
      <script type="application/json" id="data">
      """.utf8
    page += PageData.bytes(self)
    page +=
      """
      </script>
      <script>\(script)</script>
      </body>
      </html>

      """.utf8
    return page
  }

  /// What a Content Security Policy calls an inline element.
  private static func source(_ text: String) -> String { "sha256-\(Data(SHA256.hash(Array(text.utf8))).base64EncodedString())" }
}
