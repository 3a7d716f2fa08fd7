extension Scenario { public static func read(file: String) throws -> Scenario { Scenario() } }
