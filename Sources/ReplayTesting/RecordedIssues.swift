import ReplayEngine
import Testing

/// Throws what a test's code records besides what it throws.
func recordingIssues(
  isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
) async throws {
  let failures = Guarded<[String]>([])
  await withKnownIssue(isIntermittent: true) {
    do { try await body() } catch { failures.withValue { $0.append("\(error)") } }
  } matching: { issue in
    failures.withValue { $0.append("\(issue)") }
    return true
  }
  if !failures.value.isEmpty { throw RecordedFailures(failures.value) }
}
