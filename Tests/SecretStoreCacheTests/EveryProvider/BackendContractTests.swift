// SPDX-License-Identifier: MIT

import SecretStoreCache
import Testing
import TokenCacheContract

extension ServiceTests.EveryProvider {
  @Suite("Back end contract", .serialized)
  struct BackendContractTests {
    @Test("The contract holds within one run of the daemon", arguments: TokenCacheContract.cases)
    func keeps(_ rule: ContractCase) async throws {
      try await rule.check(try environment(for: rule, settle: {}))
    }

    @Test(
      "The contract holds when the daemon restarts between writing and reading",
      arguments: TokenCacheContract.cases)
    func keepsAcrossRestart(_ rule: ContractCase) async throws {
      for attempt in 1...3 {
        do {
          return try await rule.check(
            try environment(for: rule, settle: { try await PrivateSession.keyring("restart") }))
        } catch let violation where attempt < 3 && "\(violation)".contains("the keyrings were not locked") {
          // KeePassXC 2.7.4 now and then never locks its database again, and so does not save it.
          try await PrivateSession.keyring("kill")
          try await PrivateSession.keyring("start")
        }
      }
    }

    private func environment(
      for rule: ContractCase, settle: @escaping @Sendable () async throws -> Void
    ) throws -> ContractEnvironment {
      _ = try PrivateSession.control
      var options = SecretStoreOptions()
      options.leaseTimeout = rule.leaseTimeout
      let group = try AccessGroup(PrivateSession.uniqueGroup())
      return ContractEnvironment(
        backend: SecretStore(options: options).unrestrictedBackend(for: group),
        other: SecretStore(options: options).unrestrictedBackend(for: group),
        settle: settle,
        storeRaw: { try await PlantedItem.store($0, for: $1, in: group) },
        killLeaseHolder: { try await ServiceSupport.killLeaseHolder(of: $0, in: group) })
    }
  }
}
