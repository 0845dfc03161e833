// SPDX-License-Identifier: MIT

import Testing

@testable import SecretStoreCache

@Suite("Polling pace")
struct PollingPaceTests {
  @Test("The interval is two seconds for a minute after a change, then grows to at most sixteen")
  func pace() {
    var pace = PollingPace()
    for _ in 0..<30 {
      #expect(pace.interval == .seconds(2))
      pace.notePoll(foundChange: false)
    }
    pace.notePoll(foundChange: false)
    #expect(pace.interval == .seconds(4))
    for _ in 0..<1000 { pace.notePoll(foundChange: false) }
    #expect(pace.interval == .seconds(16))
    pace.notePoll(foundChange: true)
    #expect(pace.interval == .seconds(2))
  }
}
