// SPDX-License-Identifier: MIT

import ProgressText
import Testing

@Suite("Rate and time left of long work")
struct ProgressEstimateTests {
  /// Work of a constant or a changing rate, looked at ten times in a second.
  private func estimate(
    _ total: Int, until end: Double, done: (_ seconds: Double) -> Int
  ) -> ProgressEstimate {
    var estimate = ProgressEstimate()
    for tick in 0...Int((end * 10).rounded()) {
      let time = Double(tick) / 10
      estimate.note(done(time), of: total, at: .seconds(time))
    }
    return estimate
  }

  @Test("A steady rate is the number of items in a second, and the rest takes that long")
  func steady() throws {
    let estimate = estimate(1000, until: 20) { Int($0 * 10) }
    let rate = try #require(estimate.rate(at: .seconds(20)))
    #expect(abs(rate - 10) < 0.2)
    let left = try #require(estimate.timeLeft(at: .seconds(20)))
    #expect(abs(left / .seconds(1) - 80) < 2)
  }

  @Test("There is no rate in the first second, before an item is done, and while no item gets done")
  func none() {
    #expect(estimate(100, until: 0.9) { Int($0 * 10) }.rate(at: .seconds(0.9)) == nil)
    #expect(estimate(100, until: 5) { _ in 0 }.rate(at: .seconds(5)) == nil)
    let stalled = estimate(100, until: 30) { min(50, Int($0 * 10)) }
    #expect(stalled.rate(at: .seconds(30)) == nil && stalled.timeLeft(at: .seconds(30)) == nil)
    #expect(ProgressEstimate().rate(at: .seconds(3)) == nil)
  }

  @Test("The rate is that of the last ten seconds, when work becomes slower")
  func slower() throws {
    let estimate = estimate(1000, until: 60) { $0 < 30 ? Int($0 * 20) : 600 + Int(($0 - 30) * 2) }
    let rate = try #require(estimate.rate(at: .seconds(60)))
    #expect(abs(rate - 2) < 0.2)
  }

  @Test("Items that are found later count, and the last item leaves no time")
  func growing() throws {
    var estimate = estimate(100, until: 10) { Int($0 * 10) }
    #expect(estimate.timeLeft(at: .seconds(10)) == .zero)
    estimate.note(100, of: 200, at: .seconds(10))
    let left = try #require(estimate.timeLeft(at: .seconds(10)))
    #expect(abs(left / .seconds(1) - 10) < 0.5)
  }

  @Test("Work that counts anew has a rate of its own")
  func anew() {
    var estimate = estimate(100, until: 10) { Int($0 * 10) }
    estimate.note(3, of: 100, at: .seconds(10.1))
    #expect(estimate.rate(at: .seconds(10.1)) == nil && estimate.completed == 3)
  }

  @Test("A process that was stopped for an hour has its rate again ten seconds later")
  func stopped() throws {
    var estimate = estimate(10_000, until: 5) { Int($0 * 10) }
    for tick in 0...110 {
      estimate.note(50 + tick, of: 10_000, at: .seconds(3605 + Double(tick) / 10))
    }
    let rate = try #require(estimate.rate(at: .seconds(3616)))
    #expect(abs(rate - 10) < 0.2)
  }
}
