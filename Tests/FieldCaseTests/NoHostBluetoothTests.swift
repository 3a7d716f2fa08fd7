#if os(Linux)
  import Foundation
  import Glibc
  import HeartApp
  import ReplayTesting
  import TestSupport
  import XCTest

  /// Tests that went through the machine's own adapter, or its Bluetooth daemon, disturbed each other and failed where there is none. An air
  /// touches neither: no Bluetooth socket, no D-Bus, nothing of the adapters below /sys.
  final class NoHostBluetoothTests: XCTestCase {
    private func runApp() throws -> String {
      let air = try VirtualAir(.file(Repository.root.appending(path: "scenarios/heart-strap.json5").path), seed: 7)
      defer { air.close() }
      try VirtualAir.$current.withValue(air) {
        let app = HeartCentral()
        try air.run(until: app.isIdle)
      }
      XCTAssertTrue(air.verdict.passed)
      return air.log.text
    }

    /// The families of the process's open sockets.
    private func socketFamilies() throws -> [Int32] {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }.compactMap { descriptor in
        var family: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &family, &size) == 0 ? family : nil
      }
    }

    func testNoSocketAndNoLibrary() throws {
      let before = try socketFamilies()
      let log = try runApp()
      XCTAssertFalse(log.isEmpty)
      XCTAssertEqual(try socketFamilies(), before)
      XCTAssertFalse(before.contains(31), "AF_BLUETOOTH")
      // The reader of sockets sees one where there is one.
      let own = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      XCTAssertEqual(try socketFamilies().count, before.count + 1)
      close(own)
      let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
      for library in ["libbluetooth", "libdbus", "libgio"] { XCTAssertFalse(maps.contains(library), library) }
    }

    /// The same program without a daemon, with an address that leads nowhere, and with a home of its own.
    func testTheEnvironmentMakesNoDifference() throws {
      let demo = BuiltProgram("heart-demo")
      let scenario = Repository.root.appending(path: "scenarios/heart-strap.json5").path
      let usual = try demo.run([scenario])
      XCTAssertEqual(usual.code, 0, usual.errors)
      for address in ["unix:path=/nowhere", ""] {
        let other = try demo.run(
          [scenario], environment: ["DBUS_SYSTEM_BUS_ADDRESS": address, "DBUS_SESSION_BUS_ADDRESS": address, "HOME": "/nowhere"])
        XCTAssertEqual(other.output, usual.output)
      }
    }

    /// The same program in a container: without D-Bus, without a network, and with an adapter below /sys that is switched off.
    func testAContainerWithAnAdapterOfItsOwnMakesNoDifference() throws {
      let demo = try BuiltProgram("heart-demo").location().path
      let scenario = Repository.root.appending(path: "scenarios/heart-strap.json5").path
      let world = """
        mount -t tmpfs none /run
        mount -t tmpfs none /sys
        mkdir -p /sys/class/bluetooth/hci0 /sys/class/rfkill/rfkill0
        echo C0:FF:EE:00:00:01 > /sys/class/bluetooth/hci0/address
        echo hci0 > /sys/class/rfkill/rfkill0/name
        echo 1 > /sys/class/rfkill/rfkill0/soft
        """
      func run(_ script: String) throws -> BuiltProgram.Result {
        try BuiltProgram.runTool(
          "unshare", ["--map-root-user", "--mount", "--net", "sh", "-ec", "\(world)\n\(script)", "sh", demo, scenario])
      }
      let look = try run("test ! -e /run/dbus; ls /sys/class/bluetooth")
      try XCTSkipUnless(look.code == 0, "no container can be made here: \(look.errors)")
      XCTAssertEqual(look.output, "hci0\n")
      let usual = try BuiltProgram("heart-demo").run([scenario])
      let contained = try run(#"exec "$1" "$2""#)
      XCTAssertEqual(contained.code, 0, contained.errors)
      XCTAssertEqual(contained.output, usual.output)
    }

    /// What it asks of the system, where that can be watched.
    func testWhatTheSystemIsAskedFor() throws {
      let strace = "/usr/bin/strace"
      try XCTSkipUnless(FileManager.default.isExecutableFile(atPath: strace), "strace is not installed")
      let trace = FileManager.default.temporaryDirectory.appending(path: "trace-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: trace) }
      let scenario = Repository.root.appending(path: "scenarios/heart-strap.json5").path
      let result = try BuiltProgram.runTool(
        strace,
        [
          "-f", "-qq", "-o", trace.path, "-e", "trace=socket,connect,openat,open,ioctl", try BuiltProgram("heart-demo").location().path,
          scenario,
        ])
      try XCTSkipIf(result.errors.contains("ptrace"), "processes may not be watched here: \(result.errors)")
      XCTAssertEqual(result.code, 0, result.errors)
      let calls = try String(contentsOf: trace, encoding: .utf8).lowercased()
      XCTAssertTrue(calls.contains("heart-strap.json5"), "the trace has the opening of the scenario")
      for word in ["af_bluetooth", "dbus", "/sys/class/bluetooth", "/dev/rfkill", "/dev/uhid", "/dev/vhci", "/dev/hci"] {
        XCTAssertFalse(calls.contains(word), word)
      }
    }
  }
#endif
