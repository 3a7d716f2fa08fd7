import Foundation
import ReplayScenarios
import Testing

/// Keeps the schema that editors use in step with the reader.
@Suite struct SchemaTests {
  private static func definitions() throws -> [String: Any] {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("scenarios/schema/understudy-1.schema.json")
    let schema = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
    return try #require(schema["$defs"] as? [String: Any])
  }

  private static func words(_ definition: Any?) -> [String]? { (definition as? [String: Any])?["enum"] as? [String] }

  @Test func everyObjectHasTheReadersKeys() throws {
    let definitions = try Self.definitions()
    let objects = definitions.filter { (($0.value as? [String: Any])?["type"] as? String) == "object" }
    #expect(Set(objects.keys) == Set(ScenarioKeys.all.keys))
    for (name, keys) in ScenarioKeys.all {
      let object = try #require(objects[name] as? [String: Any])
      let properties = try #require(object["properties"] as? [String: Any])
      #expect(Set(properties.keys) == Set(keys), "\(name)")
      #expect(object["additionalProperties"] as? Bool == false, "\(name)")
    }
  }

  @Test func everyEnumerationHasTheReadersWords() throws {
    let definitions = try Self.definitions()
    func property(_ object: String, _ key: String) -> Any? {
      ((definitions[object] as? [String: Any])?["properties"] as? [String: Any])?[key]
    }
    #expect((property("scenario", "format") as? [String: Any])?["const"] as? String == ScenarioWords.format)
    #expect(Self.words(definitions["match"]) == MatchLevel.allCases.map(\.rawValue))
    #expect(Self.words(definitions["unmatched"]) == UnmatchedPolicy.allCases.map(\.rawValue))
    #expect(Self.words(property("origin", "capturedAt")) == Origin.Side.allCases.map(\.rawValue))
    #expect(Self.words(property("entry", "by")) == TimelineEntry.Side.allCases.map(\.rawValue))
    #expect(Self.words(definitions["provenance"]) == Provenance.allCases.map(\.rawValue))
    #expect(Self.words((property("attribute", "properties") as? [String: Any])?["items"]) == ScenarioWords.properties)
    func first(_ definition: Any?) -> Any? { ((definition as? [String: Any])?["anyOf"] as? [Any])?.first }
    #expect(Self.words(first(definitions["addressType"])) == ScenarioWords.addressTypes.map(\.name))
    #expect(Self.words(first(definitions["phy"])) == ScenarioWords.phys.map(\.name))
    #expect(Self.words(first(property("pairingEnd", "io"))) == ScenarioWords.ioCapabilities.map(\.name))
    #expect(Self.words(property("pairing", "method")) == PairingMethod.allCases.map(\.rawValue))
    #expect(Self.words(property("entry", "encrypt")) == LinkProcedure.EncryptionKey.allCases.map(\.rawValue))
    #expect(Self.words((definitions["authentication"] as? [String: Any])?["items"]) == ScenarioWords.authentication)
    #expect(Self.words((definitions["distribution"] as? [String: Any])?["items"]) == ScenarioWords.distribution)
  }
}
