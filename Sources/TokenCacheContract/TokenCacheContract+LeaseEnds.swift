// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

extension TokenCacheContract {
  /// A lease timeout that a case can wait for, several times.
  private static let shortTimeout = Duration.milliseconds(200)

  static let leaseEndCases: [ContractCase] = [
    ContractCase(
      "who waits for the lease of a holder that hangs goes on without it after the timeout", .leaseLimit,
      leaseTimeout: shortTimeout
    ) { environment in
      try await holding(Samples.key, of: environment.backend) {
        for backend in [environment.other, environment.backend] { try await waitInVain(backend) }
      }
    },
    ContractCase(
      "who went on without a lease has not ended it for its holder", .leaseEnd, leaseTimeout: shortTimeout
    ) { environment in
      try await holding(Samples.key, of: environment.backend) {
        for _ in 1...2 { try await waitInVain(environment.other) }
      }
      try await environment.other.withRefreshLease(on: Samples.key) {}
    },
    ContractCase("a lease ends with its body, whether that returns, throws or is cancelled", .leaseEnd) {
      environment in
      try await environment.backend.withRefreshLease(on: Samples.key) {}
      try await take(environment.other, after: "a body that has returned")
      try await expect(.accountMismatch, "the body's own error") {
        try await environment.backend.withRefreshLease(on: Samples.key) { () async throws -> Void in
          throw SecretStoreError(.accountMismatch, "no")
        }
      }
      try await take(environment.other, after: "a body that has thrown")
      let held = WakeSignal()
      let holder = Task {
        try await environment.backend.withRefreshLease(on: Samples.key) {
          await held.wake()
          try await Task.sleep(for: .seconds(600))
        }
      }
      await held.wait(atMost: TimeLimit.call)
      holder.cancel()
      try await take(environment.other, after: "a body that was cancelled")
    },
    ContractCase("who is cancelled while it waits for a lease runs nothing and takes nothing", .leaseEnd) {
      environment in
      let hasRun = Locked(false)
      try await holding(Samples.key, of: environment.backend) {
        for backend in [environment.backend, environment.other] {
          let waiting = Task {
            try await backend.withRefreshLease(on: Samples.key) { hasRun.withLock { $0 = true } }
          }
          try await Task.sleep(for: .milliseconds(20))
          waiting.cancel()
          try await expectCancellation("a cancelled wait") {
            try await ends("a cancelled wait") { try await waiting.value }
          }
        }
      }
      try expect(hasRun.withLock { $0 }, is: false, "whether a body ran")
      try await take(environment.other, after: "a cancelled wait")
    },
    ContractCase("a lease ends when its holder dies, without a wait until the timeout", .leaseDeath) {
      environment in
      guard let killLeaseHolder = environment.killLeaseHolder else { return }
      for backend in [environment.backend, environment.other] {
        try await killLeaseHolder(Samples.key)
        try await take(backend, after: "the death of its holder")
      }
    },
  ]

  /// Asks for the lease that another task holds, and expects the body to run after the timeout and not before.
  private static func waitInVain(
    _ backend: any TokenCacheBackend, file: String = #fileID, line: Int = #line
  ) async throws {
    let start = ContinuousClock.now
    try await ends(
      "the wait for a lease", within: min(.seconds(60), TimeLimit.longest), file: file, line: line
    ) {
      try await backend.withRefreshLease(on: Samples.key) {}
    }
    let waited = start.duration(to: .now)
    if waited < shortTimeout / 2 {
      throw FailedExpectation(
        "a lease that another task holds was there after \(waited)", file: file, line: line)
    }
  }

  /// Takes the lease, which is free.
  private static func take(
    _ backend: any TokenCacheBackend, after what: String, file: String = #fileID, line: Int = #line
  ) async throws {
    try await ends("the lease after \(what)", file: file, line: line) {
      try await backend.withRefreshLease(on: Samples.key) {}
    }
  }
}
