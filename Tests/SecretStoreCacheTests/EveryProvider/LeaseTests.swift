// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache

extension ServiceTests.EveryProvider {
  @Suite("Refresh leases", .serialized)
  struct LeaseTests {
    private let group: AccessGroup

    init() throws {
      _ = try PrivateSession.control
      group = try AccessGroup(PrivateSession.uniqueGroup())
    }

    private func backend(patience: Duration) -> SecretServiceBackend {
      var options = SecretStoreOptions()
      options.leasePatience = patience
      return SecretStore(options: options).unrestrictedBackend(for: group)
    }

    @Test("a lease that an app does not let go of is waited for as long as the store says, and no longer")
    func patience() async throws {
      let impatient = backend(patience: .milliseconds(300))
      try await impatient.withRefreshLease(on: ServiceSupport.note) {}
      let frozen = HeldRuntimeLocks()
      try frozen.hold()
      let took = try await ContinuousClock().measure {
        try await impatient.withRefreshLease(on: ServiceSupport.note) {}
      }
      frozen.release()
      #expect(took >= .milliseconds(250))
      #expect(took < .seconds(5))
    }

    @Test("a cancelled wait for a lease ends at once, as cancellation, and nothing is done")
    func cancelledWait() async throws {
      let patient = backend(patience: .seconds(60))
      try await patient.withRefreshLease(on: ServiceSupport.note) {}
      let frozen = HeldRuntimeLocks()
      try frozen.hold()
      let wait = Task {
        try await patient.withRefreshLease(on: ServiceSupport.note) { Issue.record("the lease was had") }
      }
      try await Task.sleep(for: .milliseconds(50))
      wait.cancel()
      await #expect(throws: CancellationError.self) { try await wait.value }
      frozen.release()
    }
  }
}
