// SPDX-License-Identifier: MIT

import SecretStoreCache
import Testing
import TokenCacheContract

extension ServiceTests.EveryProvider {
  @Suite("The back end contract", .serialized)
  struct ContractTests {
    @Test("within one run of the daemon", arguments: TokenCacheContract.cases)
    func keeps(_ rule: ContractCase) async throws {
      try await rule.check(try environment(settle: {}))
    }

    @Test("over a daemon restarted between writing and reading", arguments: TokenCacheContract.cases)
    func keepsAcrossRestart(_ rule: ContractCase) async throws {
      try await rule.check(try environment(settle: { try await PrivateSession.keyring("restart") }))
    }

    private func environment(settle: @escaping @Sendable () async throws -> Void) throws
      -> ContractEnvironment
    {
      _ = try PrivateSession.control
      let group = try AccessGroup(PrivateSession.uniqueGroup())
      return ContractEnvironment(
        backend: SecretStore().unrestrictedBackend(for: group),
        other: SecretStore().unrestrictedBackend(for: group),
        settle: settle,
        plant: { try await PlantedItem.store($0, for: $1, in: group) })
    }
  }
}
