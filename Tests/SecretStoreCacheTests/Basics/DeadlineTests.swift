// SPDX-License-Identifier: MIT

import Testing

@testable import SecretStoreCache

@Suite("Deadline")
struct DeadlineTests {
  @Test("An inner call keeps the earlier deadline")
  func nested() async throws {
    try await Deadline.run(within: .seconds(5)) {
      try await Deadline.run(within: .seconds(60)) { #expect(Deadline.remaining <= .seconds(5)) }
      try await Deadline.run(within: .seconds(1)) { #expect(Deadline.remaining <= .seconds(1)) }
      #expect(Deadline.remaining > .seconds(1))
    }
  }

  @Test("An item of long work starts its call's limit anew, and not that of an outer call")
  func restarted() async throws {
    try await Deadline.run(within: .seconds(600)) {
      try await Task.sleep(for: .milliseconds(50))
      let outer = Deadline.remaining
      // So long that a task on a busy machine runs again before.
      try await Deadline.run(within: .seconds(10)) {
        try await Task.sleep(for: .milliseconds(150))
        let before = Deadline.remaining
        Deadline.restart()
        #expect(Deadline.remaining > before)
        try await Task.sleep(for: .milliseconds(10_050))
        #expect(Deadline.hasPassed)
        // A step that runs to its end has the limit of the call that waits for it.
        try await Uncancelled.run { Deadline.restart() }
        #expect(!Deadline.hasPassed)
      }
      #expect(Deadline.remaining < outer)
    }
  }

  @Test("Work that runs to its end is not cancelled, and does not begin when its task is cancelled already")
  func uncancelled() async throws {
    let didRun = Locked(false)
    let late = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      try await Uncancelled.run { didRun.withLock { $0 = true } }
    }
    await #expect(throws: CancellationError.self) { try await late.value }
    #expect(!didRun.withLock({ $0 }))
    let running = Task { [didRun] in
      try await Uncancelled.run {
        unsafe withUnsafeCurrentTask { task in #expect(unsafe task?.isCancelled == false) }
        didRun.withLock { $0 = true }
      }
    }
    try await running.value
    #expect(didRun.withLock({ $0 }))
  }
}
