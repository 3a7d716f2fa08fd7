import Foundation
import TestSupport
import Testing

struct ArgumentTests {
  @Test(arguments: [["--help"], ["-h"], ["help"]])
  func helpOfTheTool(arguments: [String]) throws {
    let result = try Tool.run(arguments)
    #expect(result.code == 0)
    #expect(result.errors == "")
    #expect(result.output.hasPrefix("Record and replay Bluetooth LE peripherals.\n\nusage: understudy COMMAND [OPTION…] …\n\ncommands:\n"))
    #expect(result.output.contains("  inspect "))
    #expect(result.output.contains("  -h, --help "))
  }

  @Test(arguments: [["inspect", "--help"], ["inspect", "x", "-h"], ["help", "inspect"]])
  func helpOfACommand(arguments: [String]) throws {
    let result = try Tool.run(arguments)
    #expect(result.code == 0)
    #expect(
      result.output == """
        Show what a capture holds.

        usage: understudy inspect CAPTURE… [OPTION…]

        Prints the peers with their services and how their connections ended, then the links, connections that failed, and
        what is odd about the capture. CAPTURE is a file of btsnoop, pcap, pcapng or Apple's PacketLogger, whatever its name, also
        compressed; an Android bug report or its text; an iOS sysdiagnose; a folder of such files; - is standard input.

        With --att, each ATT PDU is a line of fields between tabs: frame, time (seconds since 1970, as recorded), link, connection
        handle or access address, > from the link's central or < to it, the whole PDU in hex, its name, and the attribute's handle.

        options:
          --json             Print one JSON document: an object, or an array of them for several captures.
          --att              Print one ATT PDU a line.
          --report FILE      Write a report, in the form that the ending asks for: .html. May be repeated.
          --raw-times        Keep the recorded times, also where they go back or jump.
          --user-dlt N=KIND  What pcap's user link type N (147-162) holds: h4, h4-phdr, monitor, le-ll, le-ll-phdr, nordic, ppi, usb-linux, usb-linux-mmapped, usbpcap. May be repeated.
          --irk KEY          An identity resolving key, 32 hexadecimal digits, the most significant first: private addresses made with it are one device. May be repeated.
          -h, --help         Show this help and exit.
          --version          Show the version and exit.

        """)
  }

  @Test(arguments: [
    ("inspect", ".html."), ("check", ".json, .xml (JUnit), .md, .html; needs --replay."), ("sweep", ".json, .xml (JUnit), .md, .html."),
    ("report", ".json, .xml (JUnit), .md, .html."),
  ])
  func helpTellsTheFormsOfReports(command: String, forms: String) throws {
    let help = try Tool.run([command, "--help"]).output.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    #expect(help.contains("--report FILE Write a report, in the form that the ending asks for: \(forms) May be repeated."))
  }

  @Test(arguments: [["--version"], ["inspect", "--version"]])
  func version(arguments: [String]) throws {
    let result = try Tool.run(arguments)
    #expect((result.code, result.output, result.errors) == (0, "understudy 0.1.0\n", ""))
  }

  @Test(
    arguments: [
      ([], "no command is given; run 'understudy --help' for the list"),
      (["inspct"], "unknown command 'inspct'; did you mean 'inspect'? 'understudy --help' lists all"),
      (["zzz"], "unknown command 'zzz'; 'understudy --help' lists all"),
      (["--versoin"], "unknown option '--versoin'; did you mean '--version'? 'understudy --help' lists all"),
      (["inspect", "--jsn", "x"], "unknown option '--jsn' of inspect; did you mean '--json'? 'understudy inspect --help' lists all"),
      (["inspect", "--unlike", "x"], "unknown option '--unlike' of inspect; 'understudy inspect --help' lists all"),
      (["inspect", "--json=1", "x"], "--json takes no value; run 'understudy inspect --help'"),
      (["inspect"], "inspect needs CAPTURE…; run 'understudy inspect --help'"),
      (["inspect", "--"], "inspect needs CAPTURE…; run 'understudy inspect --help'"),
      (["inspect", "--report", "x.md", "x"], "--report x.md: the ending tells the form; there is .html"),
      (["check", "--report", "x.md", "x"], "--report is about a replay; give --replay as well"),
      (["check", "--replay", "--report", "x.doc", "x"], "--report x.doc: the ending tells the form; there are .json, .xml, .md, .html"),
      (["inspect", "--json", "--att", "x"], "--json and --att exclude each other; give one of them"),
    ] as [([String], String)])
  func wrongUse(arguments: [String], message: String) throws {
    let result = try Tool.run(arguments)
    #expect((result.code, result.output) == (2, ""))
    #expect(result.errors == "understudy: \(message)\n")
  }

  @Test func wordsAfterTwoHyphensAreOperands() throws {
    let result = try Tool.run(["inspect", "--", "--json"])
    #expect(result.code == 3)
    #expect(result.errors.hasPrefix("understudy: --json: cannot be opened"))
  }

  @Test func aReaderThatGoesAwayIsNoError() throws {
    let process = Process()
    let pipe = Pipe()
    let errors = Pipe()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "\"$0\" inspect --att \"$1\" | head -1; true", try Tool.location().path, Repository.captures[1].path]
    process.standardOutput = pipe
    process.standardError = errors
    try process.run()
    process.waitUntilExit()
    #expect(String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self).split(separator: "\n").count == 1)
    #expect(errors.fileHandleForReading.readDataToEndOfFile().isEmpty)
  }
}
