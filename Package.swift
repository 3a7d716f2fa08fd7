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

func tests(_ room: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .testTarget(name: room + "Tests", dependencies: [.byName(name: room)] + dependencies, swiftSettings: testSettings)
}

let package = Package(
  name: "understudy",
  platforms: [.macOS(.v13), .iOS(.v16)],
  products: [.executable(name: "understudy", targets: ["understudy"])],
  targets: [
    room("ByteParsing"),
    room("BLEWire", ["ByteParsing"]),
    room("CaptureFiles", ["BLEWire", "ByteParsing"]),
    room("SessionReconstruction", ["CaptureFiles", "BLEWire", "ByteParsing"]),
    room("ReplayScenarios", ["BLEWire", "ByteParsing"]),
    room("GATTStack", ["BLEWire", "ByteParsing"]),
    room("ReplayEngine", ["GATTStack", "ReplayScenarios", "BLEWire", "ByteParsing"]),
    room("ScenarioExtraction", ["SessionReconstruction", "ReplayScenarios", "BLEWire", "ByteParsing"]),
    .executableTarget(
      name: "understudy",
      dependencies: [
        "ReplayEngine", "ScenarioExtraction", "ReplayScenarios", "SessionReconstruction", "CaptureFiles", "BLEWire", "ByteParsing",
      ], swiftSettings: settings),
    .executableTarget(
      name: "ReconstructionBenchmark", dependencies: ["SessionReconstruction", "ByteParsing"],
      path: "Benchmarks/reconstruction/ReconstructionBenchmark", swiftSettings: settings),
    .target(name: "TestSupport", dependencies: ["CaptureFiles", "BLEWire", "ByteParsing"], path: "Tests/TestSupport", swiftSettings: testSettings),
    tests("ByteParsing", ["TestSupport"]),
    tests("BLEWire", ["TestSupport"]),
    tests("CaptureFiles", ["TestSupport"]),
    tests("SessionReconstruction", ["TestSupport"]),
    tests("ScenarioExtraction", ["ReplayEngine"]),
    .testTarget(name: "UnderstudyToolTests", dependencies: ["understudy", "TestSupport"], swiftSettings: testSettings),
  ],
  swiftLanguageModes: [.v6]
)
