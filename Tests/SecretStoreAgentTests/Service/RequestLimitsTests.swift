// SPDX-License-Identifier: MIT

import Testing

@testable import SecretStoreAgent

@Suite("Limits of a connection to the agent")
struct RequestLimitsTests {
  @Test("Calls beyond the limit are refused, and after too many of them the connection is closed")
  func inProgress() {
    let limits = RequestLimits()
    for _ in 0..<RequestLimits.maximumInProgress { #expect(limits.begin() == .accepted) }
    for _ in 0..<RequestLimits.maximumRefused { #expect(limits.begin() == .refused) }
    #expect(limits.begin() == .closed)
    _ = limits.end()
    #expect(limits.begin() == .accepted)
  }

  @Test("Calls wait while the app has not read its replies, and go on when it has")
  func flush() async {
    let limits = RequestLimits()
    for reply in 1...RequestLimits.repliesPerFlush {
      #expect(limits.begin() == .accepted)
      #expect(limits.end() == (reply == RequestLimits.repliesPerFlush))
    }
    #expect(limits.begin() == .accepted)
    #expect(!limits.end())
    await withTaskGroup { group in
      group.addTask { await limits.untilFlushed() }
      group.addTask { limits.flushed() }
    }
    await limits.untilFlushed()
  }

  @Test("A rate allows its burst at once, and then so many a second")
  func rate() {
    var rate = RateLimit(burst: 3, perSecond: 2)
    let start = ContinuousClock.now + .seconds(1)
    let atOnce = (0..<5).map { _ in rate.take(at: start) }
    let later = [500, 600].map { rate.take(at: start + .milliseconds($0)) }
    let muchLater = (0..<5).map { _ in rate.take(at: start + .seconds(60)) }
    #expect(atOnce == [true, true, true, false, false])
    #expect(later == [true, false])
    #expect(muchLater == [true, true, true, false, false])
  }
}
