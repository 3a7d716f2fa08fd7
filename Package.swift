// swift-tools-version: 6.2
import PackageDescription

/// Every room is built with these; `Lifetimes` lets our own types borrow a capture's bytes without copying them.
let settings: [SwiftSetting] = [
  .enableExperimentalFeature("Lifetimes"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
]

/// Tests touch bytes and callbacks freely; strict memory safety guards the product.
let testSettings: [SwiftSetting] = [
  .enableExperimentalFeature("Lifetimes"),
  .enableUpcomingFeature("ExistentialAny"),
  .treatAllWarnings(as: .error),
]

func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ room: String, _ dependencies: [Target.Dependency] = [], resources: [Resource] = []) -> Target {
  .testTarget(
    name: room + "Tests", dependencies: [.byName(name: room)] + dependencies, resources: resources, swiftSettings: testSettings)
}

/// On Linux a target named like Apple's framework re-exports the virtual one; elsewhere `-module-alias` does it.
#if os(Linux)
  let framework: [Target] = [room("CoreBluetooth", ["VirtualCoreBluetooth"])]
#else
  let framework: [Target] = []
#endif
let frameworkName = framework.first?.name ?? "VirtualCoreBluetooth"

/// Example apps are compiled as an app is, without the room's settings.
func example(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, path: "Examples/\(name)")
}

/// Code that documents in one language show, in a module of its own, for they use the same names.
func samples(_ language: String) -> Target {
  .target(
    name: "DocumentSamples\(language)", dependencies: [.byName(name: frameworkName)], path: "Tests/DocumentSamples/\(language)")
}

/// Fuzzing needs a runtime that ordinary users need not have: `scripts/fuzz` asks for its program.
let fuzzing: [Target] =
  Context.environment["UNDERSTUDY_FUZZ"] == nil
  ? []
  : [
    .executableTarget(
      name: "understudy-fuzz", dependencies: ["FuzzTargets"], path: "Fuzz/FuzzDriver",
      swiftSettings: [.enableExperimentalFeature("Extern"), .treatAllWarnings(as: .error)])
  ]

let package = Package(
  name: "understudy",
  platforms: [.macOS(.v13), .iOS(.v16)],
  products: [
    .library(name: "BluetoothForTests", targets: ["VirtualCoreBluetooth", "ReplayTesting"] + framework.map(\.name)),
    .library(name: "ReplayEngine", targets: ["ReplayEngine", "ReplayScenarios"]),
    .library(name: "CaptureFiles", targets: ["CaptureFiles", "SessionReconstruction"]),
    .executable(name: "understudy", targets: ["understudy"]),
  ],
  targets: framework + fuzzing + [
    room("ByteParsing"),
    room("BLEWire", ["ByteParsing"]),
    .target(name: "CUnderstudyPcap", linkerSettings: [.linkedLibrary("pcap")]),
    .systemLibrary(name: "CUnderstudyZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    room("CaptureFiles", ["BLEWire", "ByteParsing", "CUnderstudyPcap", "CUnderstudyZlib"]),
    .systemLibrary(name: "CUnderstudyCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"]), .brew(["openssl"])]),
    room("BLECrypto", ["BLEWire", "CUnderstudyCrypto"]),
    room("SessionReconstruction", ["CaptureFiles", "BLECrypto", "BLEWire", "ByteParsing"]),
    room("ReplayScenarios", ["BLEWire", "ByteParsing"]),
    room("ScenarioExtraction", ["SessionReconstruction", "ReplayScenarios", "BLECrypto", "BLEWire", "ByteParsing"]),
    room("GATTStack", ["BLEWire", "ByteParsing"]),
    room("ReplayEngine", ["GATTStack", "ReplayScenarios", "BLEWire", "ByteParsing"]),
    room("ReplayReports", ["ReplayEngine", "BLEWire", "ByteParsing"]),
    room("VirtualCoreBluetooth", ["ReplayEngine", "ReplayScenarios", "GATTStack", "BLEWire", "ByteParsing"]),
    room("ReplayTesting", ["VirtualCoreBluetooth", "ReplayReports", "ReplayEngine", "ReplayScenarios"]),
    .executableTarget(
      name: "understudy",
      dependencies: [
        "ReplayReports", "ReplayEngine", "ScenarioExtraction", "ReplayScenarios", "SessionReconstruction", "CaptureFiles", "BLEWire",
        "ByteParsing",
      ], swiftSettings: settings),

    example("SensorConnection", [.byName(name: frameworkName)]),
    example("HeartApp", [.byName(name: frameworkName)]),
    example("BackoffApp", [.byName(name: frameworkName)]),
    .executableTarget(name: "heart-demo", dependencies: ["HeartApp", "ReplayEngine", "ReplayScenarios"], path: "Examples/HeartDemo"),
    .executableTarget(
      name: "ReconstructionBenchmark", dependencies: ["SessionReconstruction", "ByteParsing"],
      path: "Benchmarks/reconstruction/ReconstructionBenchmark", swiftSettings: settings),
    .executableTarget(
      name: "ScenarioBenchmark", dependencies: ["ReplayScenarios"], path: "Benchmarks/scenario/ScenarioBenchmark", swiftSettings: settings),
    .executableTarget(
      name: "ClockBenchmark", dependencies: ["ReplayEngine", "ReplayScenarios"], path: "Benchmarks/replay/ClockBenchmark",
      swiftSettings: settings),
    .executableTarget(
      name: "ReplayBenchmark", dependencies: ["ReplayEngine", "ReplayScenarios"], path: "Benchmarks/replay/ReplayBenchmark",
      swiftSettings: settings),
    .executableTarget(
      name: "FaceBenchmark", dependencies: ["VirtualCoreBluetooth", "ReplayEngine", "ReplayScenarios"],
      path: "Benchmarks/face/FaceBenchmark", swiftSettings: settings),
    .executableTarget(
      name: "SweepBenchmark", dependencies: ["HeartApp", "ReplayEngine", "ReplayReports", "ReplayScenarios"],
      path: "Benchmarks/sweep/SweepBenchmark",
      swiftSettings: settings),

    .target(
      name: "TestSupport", dependencies: ["CaptureFiles", "BLECrypto", "BLEWire", "ByteParsing", "CUnderstudyZlib"],
      path: "Tests/TestSupport",
      swiftSettings: testSettings),
    tests("ByteParsing", ["TestSupport"]),
    tests("BLEWire", ["TestSupport"]),
    tests("BLECrypto", ["BLEWire", "TestSupport"]),
    tests("CaptureFiles", ["TestSupport"]),
    tests("SessionReconstruction", ["TestSupport"]),
    tests("ReplayScenarios", ["BLEWire", "TestSupport"]),
    tests("ScenarioExtraction", ["ReplayEngine", "ReplayScenarios", "TestSupport"]),
    tests("GATTStack", ["BLEWire", "TestSupport"]),
    tests("ReplayReports", ["ReplayEngine", "ReplayScenarios", "TestSupport"], resources: [.copy("junit.xsd")]),
    tests("ReplayEngine", ["GATTStack", "ReplayScenarios", "ScenarioExtraction", "TestSupport", "endurance"]),
    .executableTarget(
      name: "endurance",
      dependencies: ["VirtualCoreBluetooth", "ReplayEngine", "ReplayScenarios", "BLEWire", "ByteParsing", "TestSupport"],
      path: "Tests/Endurance",
      swiftSettings: testSettings),
    samples("Uzbek"), samples("Persian"), samples("Turkish"), samples("Azerbaijani"),
    tests(
      "VirtualCoreBluetooth",
      [
        "DocumentSamplesUzbek", "DocumentSamplesPersian", "DocumentSamplesTurkish", "DocumentSamplesAzerbaijani", "ReplayTesting",
        "ReplayEngine", "ScenarioExtraction", "HeartApp", "TestSupport", .byName(name: frameworkName),
      ], resources: [.copy("Resources/corebluetooth-api.md"), .copy("Resources/corebluetooth-behaviour.md")]),
    .testTarget(
      name: "ExampleTests", dependencies: ["BackoffApp", "SensorConnection", "ReplayTesting", "TestSupport", .byName(name: frameworkName)],
      swiftSettings: testSettings),
    .testTarget(
      name: "FieldCaseTests",
      dependencies: ["ReplayTesting", "ReplayEngine", "HeartApp", "heart-demo", "TestSupport", .byName(name: frameworkName)],
      swiftSettings: testSettings),
    .testTarget(
      name: "ReplayTestingTests", dependencies: ["ReplayTesting", "HeartApp", .byName(name: frameworkName)],
      resources: [.copy("heart-strap.json5")], swiftSettings: testSettings),
    .target(
      name: "FuzzTargets",
      dependencies: [
        "ScenarioExtraction", "ReplayScenarios", "SessionReconstruction", "CaptureFiles", "BLEWire", "ByteParsing", "TestSupport",
      ],
      path: "Fuzz/FuzzTargets", swiftSettings: testSettings),
    .testTarget(name: "FuzzCorpusTests", dependencies: ["FuzzTargets", "TestSupport"], swiftSettings: testSettings),
    .testTarget(
      name: "ProjectTests", dependencies: ["TestSupport", "SensorConnection", "HeartApp", "BackoffApp", "understudy"],
      swiftSettings: testSettings),
    .testTarget(
      name: "UnderstudyToolTests", dependencies: ["understudy", "ReplayEngine", "ReplayReports", "ReplayScenarios", "TestSupport"],
      swiftSettings: testSettings),
  ],
  swiftLanguageModes: [.v6]
)
