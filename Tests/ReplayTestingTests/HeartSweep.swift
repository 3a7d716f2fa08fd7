import HeartApp
import ReplayEngine
import ReplayTesting
import Testing

@Test(
  .air(.named("heart-strap", in: .module)),
  arguments: try FaultPoint.all(.disconnect(.connectionTimeout), of: .named("heart-strap", in: .module)))
func survives(point: FaultPoint) async throws {
  let air = try VirtualAir.required
  air.inject(point)
  let app = HeartCentral()
  try await air.run(until: app.isIdle || app.isReconnected)
  #expect(air.verdict.passed, "\(air.verdict)")
}
