/// A document of test suites as JUnit's Ant task began to write it, and continuous integration reads it.
struct JUnitDocument {
  struct Suite {
    var name: String
    var properties: [(String, String)] = []
    var cases: [Case] = []
  }

  struct Case {
    /// How it ended; the text is a longer one than the message.
    enum Outcome {
      case passed
      case failed(type: String, message: String, text: String)
      /// It did not come to its end.
      case broken(type: String, message: String, text: String)
      case skipped(message: String)
    }
    var name: String
    /// What it belongs to; readers group by it.
    var group: String
    var seconds = 0.0
    var outcome: Outcome
    var output = ""
  }

  var name: String
  var suites: [Suite] = []

  /// The document.
  var text: String {
    let all = suites.flatMap(\.cases)
    var xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites\(Self.attributes(name, all, withSkipped: false))>\n"
    for suite in suites {
      xml += "  <testsuite\(Self.attributes(suite.name, suite.cases, withSkipped: true))>\n"
      if !suite.properties.isEmpty {
        xml += "    <properties>\n"
        for (name, value) in suite.properties {
          xml += "      <property name=\"\(XMLText.attribute(name))\" value=\"\(XMLText.attribute(value))\"/>\n"
        }
        xml += "    </properties>\n"
      }
      for test in suite.cases { xml += test.xml }
      xml += "  </testsuite>\n"
    }
    return xml + "</testsuites>\n"
  }

  private static func attributes(_ name: String, _ cases: [Case], withSkipped: Bool) -> String {
    var (failures, errors, skipped) = (0, 0, 0)
    for test in cases {
      switch test.outcome {
      case .passed: break
      case .failed: failures += 1
      case .broken: errors += 1
      case .skipped: skipped += 1
      }
    }
    let time = seconds(cases.reduce(0) { $0 + $1.seconds })
    return " name=\"\(XMLText.attribute(name))\" tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"\(errors)\""
      + "\(withSkipped ? " skipped=\"\(skipped)\"" : "") time=\"\(time)\""
  }

  /// Seconds with three decimals.
  fileprivate static func seconds(_ time: Double) -> String {
    guard time.isFinite, time > 0, time < 1e12 else { return "0.000" }
    let milliseconds = Int((time * 1000).rounded())
    let digits = String(milliseconds % 1000)
    return "\(milliseconds / 1000).\(String(repeating: "0", count: 3 - digits.count))\(digits)"
  }
}

extension JUnitDocument.Case {
  fileprivate var xml: String {
    var inside = ""
    switch outcome {
    case .passed: break
    case .failed(let type, let message, let text): inside += Self.problem("failure", type, message, text)
    case .broken(let type, let message, let text): inside += Self.problem("error", type, message, text)
    case .skipped(let message): inside += "      <skipped message=\"\(XMLText.attribute(message))\"/>\n"
    }
    if !output.isEmpty { inside += "      <system-out>\(XMLText.content(output))</system-out>\n" }
    let start =
      "    <testcase classname=\"\(XMLText.attribute(group))\" name=\"\(XMLText.attribute(name))\" time=\"\(JUnitDocument.seconds(seconds))\""
    return inside.isEmpty ? start + "/>\n" : start + ">\n\(inside)    </testcase>\n"
  }

  private static func problem(_ element: String, _ type: String, _ message: String, _ text: String) -> String {
    "      <\(element) type=\"\(XMLText.attribute(type))\" message=\"\(XMLText.attribute(message))\">\(XMLText.content(text))</\(element)>\n"
  }
}
