#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  /// The recipe of docs/apple-targets.md, as far as it can be tried here: sources that import CoreBluetooth mean the virtual one.
  struct ModuleAliasTests {
    private func compile(_ file: String, _ flags: [String], into folder: URL) throws -> (code: Int32, module: Data?) {
      let program = try BuiltProgram("understudy").location().deletingLastPathComponent()
      let module = folder.appending(path: "AppUnderTest.swiftmodule")
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments =
        [
          "swiftc", "-swift-version", "6", "-parse-as-library", "-emit-module", "-emit-module-path", module.path, "-module-name",
          "AppUnderTest", "-I", program.appending(path: "Modules").path, Repository.root.appending(path: file).path,
        ] + flags
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      return (process.terminationStatus, try? Data(contentsOf: module))
    }

    @Test(arguments: [
      "Examples/HeartApp/HeartCentral.swift", "Examples/SensorConnection/SensorConnection.swift",
      "Examples/BackoffApp/DeviceTerminal.swift",
    ])
    func anAppIsCompiledUnderTheOtherName(file: String) throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "alias-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      #expect(try String(contentsOf: Repository.root.appending(path: file), encoding: .utf8).contains("import CoreBluetooth\n"))
      let (code, module) = try compile(file, ["-module-alias", "CoreBluetooth=VirtualCoreBluetooth"], into: folder)
      #expect(code == 0)
      #expect(try #require(module).range(of: Data("VirtualCoreBluetooth".utf8)) != nil)
      // The name has to stand for a module that is there.
      #expect(try compile(file, ["-module-alias", "CoreBluetooth=NoSuchModule"], into: folder).code != 0)
    }
  }
#endif
