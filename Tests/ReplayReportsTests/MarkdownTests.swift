import Foundation
import ReplayEngine
import ReplayReports
import TestSupport
import Testing

struct MarkdownTests {
  private static let passed = Report.Run(name: "good", verdict: ScenarioReplay(SmallRun.scenario([[SmallRun.write([1])]])).verdict)
  private static let failed = Report.Run(name: "bad", verdict: SmallRun.failedVerdict())

  @Test func failuresComeFirst() throws {
    let text = Report(title: "check", runs: [Self.passed, Self.failed]).markdown
    #expect(
      text.hasPrefix(
        """
        ## ❌ `check`

        | run | result | requests made | entries exercised | faults fired |
        |---|---|--:|--:|--:|
        | `bad` | **failed** | 1 of 1 | 1 of 1 | 0 |
        | `good` | passed | 1 of 1 | 1 of 1 | 0 |

        ### `bad`

        - `link 1, session 1: miss 0`

        | at, s | request | entry | recorded | got |
        |--:|---|--:|---|---|
        | 1.500000000 | `Write Request FFE1 (0x0003), nearest: Write Request FFE1 (0x0003) 010203` | 4 | `01 02` **`ee`** | `01 02` **`00 04`** |
        | 0.000000005 | `FFE1 (0x0003)` | 1 | `07 07 07` **`07`** | `07 07 07` **`08`** |

        <details>

        """))
    #expect(Report(title: "check", runs: [Self.passed]).markdown.hasPrefix("## ✅ `check`\n"))
  }

  @Test func longValuesAreCutWhereTheyPart() {
    let text = Report(title: "t", runs: [Report.Run(name: "bad", verdict: SmallRun.failedVerdict(bytes: 244))]).markdown
    #expect(text.contains("| … `\(Array(repeating: "07", count: 31).joined(separator: " "))` **`08`** (244 bytes, from byte 212) |"))
  }

  @Test func aCommentHoldsIt() {
    let runs = (0..<300).map { Report.Run(name: "run \($0)", verdict: SmallRun.failedVerdict(misses: 300, bytes: 500)) }
    let text = Report(title: "many", runs: runs).markdown
    #expect(text.utf8.count < 65_536)
    #expect(text.contains("| and 200 more | | | | |") && text.contains("- and 280 more"))
    #expect(text.contains(/There is no room for 29[0-9] more runs/))
  }

  @Test func aSweepShowsWhatBroke() {
    let text = Report(title: "sweep", sweeps: [SmallRun.sweep]).markdown
    #expect(
      text.hasPrefix(
        """
        ## ❌ `sweep`

        ### ❌ sweep of `Small`, seed 18446744073709551615

        | passed | failed | trapped | not reached | skipped | points |
        |--:|--:|--:|--:|--:|--:|
        | 1 | 1 | 1 | 1 | 1 | 5 of 9 |

        - **failed** at point 3, `disconnect:0x08@after:entry:1.2 (FFE1 (0x0003))`
          - `one <b>`
          - `two\\n\\u0007`
        - **trapped** at point 5, `disconnect:0x08@after:entry:1.3 (FFE1 (0x0003))`
          - `signal 5`

        <details>
        <summary>points that were not reached or not run (2)</summary>

        - `7: disconnect:0x08@after:entry:1.4 (FFE1 (0x0003)): the run never came to the point`

        """))
  }

  /// What is left of a document when its code spans and its own elements are taken out holds nothing of a hostile name.
  @Test func hostileTextStaysInCode() {
    var sweep = SmallRun.sweep
    sweep.name = SmallRun.hostile
    sweep.points[1].failures = [SmallRun.hostile]
    let text = Report(
      title: SmallRun.hostile, runs: [Report.Run(name: SmallRun.hostile, failures: [SmallRun.hostile], notes: [SmallRun.hostile])],
      sweeps: [sweep]
    ).markdown
    var rest = ""
    for line in text.split(separator: "\n") { rest += Self.withoutCode(line) + "\n" }
    rest = rest.replacing(/<code>[^<]*<\/code>/, with: "")
    for mark in ["script>", "img", "onerror", "@all", "[x]", "evil", "`"] { #expect(!rest.contains(mark), "\(rest)") }
    #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0 == "\u{202E}" || $0 == "\u{2028}" })
    // Cells are told apart by bars without a backslash.
    for line in text.split(separator: "\n") where line.hasPrefix("| `") {
      #expect(line.replacing(/\\\\|\\\|/, with: "").filter { $0 == "|" }.count == 6, "\(line)")
    }
  }

  /// A line without what stands between runs of backticks of one length.
  private static func withoutCode(_ line: Substring) -> String {
    var (rest, line) = ("", line)
    while let start = line.firstIndex(of: "`") {
      rest += line[..<start]
      let fence = line[start...].prefix { $0 == "`" }
      line = line[fence.endIndex...]
      while let end = line.firstIndex(of: "`") {
        let run = line[end...].prefix { $0 == "`" }
        line = line[run.endIndex...]
        if run.count == fence.count { break }
      }
    }
    return rest + line
  }
}
