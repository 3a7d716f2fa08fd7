/// The command line tool.
@main
struct Understudy {
  static let name = "understudy"
  static let version = "0.1.0"
  static let abstract = "Record and replay Bluetooth LE peripherals."

  /// Every command, in the order of the help text; a new one is a file in `Commands` and a line here.
  static let commands: [Command] = [
    .inspect, .extract, .check, .sweep, .minimize, .report, .convert, .diff, .merge, .trim, .redact,
  ]

  /// Options of the tool itself, which every command has too.
  static let commonOptions: [Option] = [
    Option("--help", short: "-h", help: "Show this help and exit."), Option("--version", help: "Show the version and exit."),
  ]

  static func main() {
    let console = Console()
    let code = run(Array(CommandLine.arguments.dropFirst()), console)
    console.exit(code)
  }

  /// Does what the arguments ask for, and tells how it went.
  static func run(_ arguments: [String], _ console: Console) -> ExitCode {
    do {
      switch try ArgumentParser(commands: commands, common: commonOptions).parse(arguments) {
      case .help(nil): console.print(HelpText.tool())
      case .help(let command?): console.print(HelpText.command(command))
      case .version: console.print("\(name) \(version)\n")
      case .run(let command, let arguments): return command.run(arguments, console)
      }
      return .success
    } catch {
      console.report(error.description)
      return .usage
    }
  }
}
