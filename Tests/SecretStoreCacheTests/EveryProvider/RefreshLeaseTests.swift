// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache

extension ServiceTests.EveryProvider {
  @Suite("Refresh leases", .serialized)
  struct RefreshLeaseTests {
    private let group: AccessGroup

    init() throws {
      _ = try PrivateSession.control
      group = try AccessGroup(PrivateSession.uniqueGroup())
    }

    private func backend(timeout: Duration) -> SecretServiceBackend {
      var options = SecretStoreOptions()
      options.leaseTimeout = timeout
      return SecretStore(options: options).unrestrictedBackend(for: group)
    }

    @Test("A lease that another app holds delays the operation by the lease timeout at most")
    func timeout() async throws {
      let backend = backend(timeout: .milliseconds(300))
      try await backend.withRefreshLease(on: ServiceSupport.note) {}
      let frozen = HeldRuntimeLocks()
      try frozen.hold()
      let took = try await ContinuousClock().measure {
        try await backend.withRefreshLease(on: ServiceSupport.note) {}
      }
      frozen.release()
      #expect(took >= .milliseconds(250))
      #expect(took < .seconds(5))
    }

    @Test("A cancelled wait for a lease throws CancellationError at once, and the operation does not run")
    func cancelledWait() async throws {
      let backend = backend(timeout: .seconds(60))
      try await backend.withRefreshLease(on: ServiceSupport.note) {}
      let frozen = HeldRuntimeLocks()
      try frozen.hold()
      let wait = Task {
        try await backend.withRefreshLease(on: ServiceSupport.note) { Issue.record("the operation ran") }
      }
      try await Task.sleep(for: .milliseconds(50))
      wait.cancel()
      await #expect(throws: CancellationError.self) { try await wait.value }
      frozen.release()
    }
  }
}
