#if os(Linux)
  import CoreBluetooth
  import Foundation
  import Testing

  /// The module's public surface, held against every row of the sheet of Apple's.
  struct SurfaceTests {
    static let sheet = Result {
      let url = try #require(Bundle.module.url(forResource: "corebluetooth-api", withExtension: "md"))
      return try APISheet(String(contentsOf: url, encoding: .utf8))
    }
    static let graph = Result { try SymbolGraph(module: "VirtualCoreBluetooth") }

    @Test func everyRowIsRead() throws {
      let sheet = try Self.sheet.get()
      #expect(sheet.rows == 172)
      #expect(sheet.classes.count == 16)
      #expect(sheet.protocols.map(\.name) == ["CBCentralManagerDelegate", "CBPeripheralDelegate", "CBPeripheralManagerDelegate"])
      #expect(sheet.members.count == 128)
      #expect(sheet.aliases == ["typealias CBL2CAPPSM = UInt16"])
      #expect(sheet.enumerations.count == 14)
      #expect(sheet.constants.count == 40)
      #expect(sheet.texts.count == 10)
    }

    @Test(arguments: [
      "## 1.\n### 1.1 A\n| a | b |\n|---|---|\n| **A** : B | `something else` |",
      "## 1.\n### 1.1 A\n| a | b |\n|---|---|\n| **A** | `var a: Int` |",
      "## 1.\n### 1.1 A\n| a | b |\n|---|---|\n| **A** : B | `var a: Int` and `var b: Int` |",
      "## 1.\n### 1.1 A\n| a | b |\n|---|---|\n| **A** : B | words |",
      "### 2.1 A : B\n| a | b |\n|---|---|\n| perhaps | `func a()` |",
      "## 3. A\n| a | b |\n|---|---|\n| A : Int | a 0, b |",
      "### 3.1 A\n| a | b | c |\n|---|---|---|\n| x | a | |",
      "### 4.1 A\n| a | b | c |\n|---|---|---|\n| CBA | two words | |",
      "### 5.1 A\n| a | b | c |\n|---|---|---|\n| CBA | word | |",
    ])
    func aRowOfAnotherFormIsNotPassedOver(text: String) { #expect(throws: APISheet.Unreadable.self) { try APISheet(text) } }

    @Test func classesAreMadeFromWhatApplesAre() throws {
      let graph = try Self.graph.get()
      for declared in try Self.sheet.get().classes {
        let symbol = graph.symbol(declared.name)
        guard !AbsentMembers.check(declared.name, isThere: symbol != nil) else { continue }
        #expect(symbol?.kind == "swift.class", "\(declared.name)")
        // Apple's classes have no parents but those that the sheet names, nearest first.
        #expect(graph.parents[declared.name]?.isSuperset(of: declared.parents) == true, "\(declared.name)")
      }
      for declared in try Self.sheet.get().protocols {
        let symbol = graph.symbol(declared.name)
        guard !AbsentMembers.check(declared.name, isThere: symbol != nil) else { continue }
        #expect(symbol?.declaration == "protocol \(declared.name) : \(declared.parents.joined(separator: ", "))")
      }
    }

    @Test func membersAreDeclaredAsApplesAre() throws {
      let (sheet, graph) = (try Self.sheet.get(), try Self.graph.get())
      let delegates = Set(sheet.protocols.map(\.name))
      for member in sheet.members {
        if member.declaration == "init" {
          guard !AbsentMembers.check(member.id, owner: member.owner, isThere: graph.symbol(member.owner) != nil) else { continue }
          #expect(!graph.symbols.contains { $0.owner == member.owner && $0.kind == "swift.init" }, "\(member.id)")
          continue
        }
        let isThere = graph.has(member)
        guard !AbsentMembers.check(member.id, owner: member.owner, isThere: isThere), isThere, delegates.contains(member.owner) else {
          continue
        }
        let isOptional = graph.defaults.contains("\(member.owner).\(SymbolGraph.normalized(member.declaration))")
        #expect(isOptional != member.isRequired, "\(member.id)")
      }
      for alias in sheet.aliases {
        #expect(graph.symbols.contains { $0.kind == "swift.typealias" && $0.declaration == alias }, "\(alias)")
      }
    }

    /// A delegate that has only what Apple's needs compiles only if nothing else is required.
    @Test func nothingIsRequiredThatAppleDoesNot() throws {
      let (sheet, graph) = (try Self.sheet.get(), try Self.graph.get())
      for delegate in ["CBCentralManagerDelegate", "CBPeripheralDelegate"] {
        let apples = Set(sheet.members.filter { $0.owner == delegate }.map { SymbolGraph.normalized($0.declaration) })
        let ours = graph.symbols.filter { $0.owner == delegate && $0.kind == "swift.method" }
        #expect(Set(ours.map(\.declaration)) == apples)
      }
    }

    @Test func rawValuesAreApples() throws {
      for enumeration in try Self.sheet.get().enumerations {
        let ours = RuntimeValues.enumerations.first { $0.name == enumeration.name }
        guard !AbsentMembers.check(enumeration.name, isThere: ours != nil) else { continue }
        #expect(ours?.isOptionSet == enumeration.isOptionSet, "\(enumeration.name)")
        let values = try #require(ours?.values, "\(enumeration.name)")
        #expect(values.count == enumeration.cases.count, "\(enumeration.name)")
        for apples in enumeration.cases { #expect(values[apples.name] == apples.rawValue, "\(enumeration.name).\(apples.name)") }
      }
      #expect(Set(RuntimeValues.enumerations.map(\.name)).isSubset(of: try Self.sheet.get().enumerations.map(\.name)))
    }

    @Test func constantsAreApples() throws {
      let constants = try Self.sheet.get().constants
      for apples in constants {
        let ours = RuntimeValues.constants[apples.name]
        guard !AbsentMembers.check(apples.name, isThere: ours != nil) else { continue }
        if let value = apples.value { #expect(ours == value, "\(apples.name)") } else { #expect(ours?.isEmpty == false, "\(apples.name)") }
      }
      #expect(Set(RuntimeValues.constants.keys).isSubset(of: constants.map(\.name)))
      #expect(Set(RuntimeValues.constants.values).count == RuntimeValues.constants.count, "two constants have the same value")
    }

    @Test func errorsBringApplesTextsAlong() throws {
      for (enumeration, code, text) in try Self.sheet.get().texts {
        let error: any Error =
          enumeration == "CBError.Code"
          ? CBError(try #require(CBError.Code(rawValue: code))) : CBATTError(try #require(CBATTError.Code(rawValue: code)))
        #expect(error.localizedDescription == text)
        #expect((error as NSError).code == code)
        #expect((error as NSError).domain == (enumeration == "CBError.Code" ? CBErrorDomain : CBATTErrorDomain))
      }
    }

    /// An entry whose row is gone from the sheet would hide nothing any more.
    @Test func whatIsListedAsAbsentIsInTheSheet() throws {
      let sheet = try Self.sheet.get()
      let names = Set(
        (sheet.classes + sheet.protocols).map(\.name) + sheet.members.map(\.id) + sheet.enumerations.map(\.name)
          + sheet.constants.map(\.name))
      #expect(Set(AbsentMembers.reasons.keys).isSubset(of: names))
    }
  }
#endif
