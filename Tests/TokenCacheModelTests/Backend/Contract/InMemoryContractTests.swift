// SPDX-License-Identifier: MIT

import Testing
import TokenCacheContract
import TokenCacheModel

@Suite("In-memory back end: contract")
struct InMemoryContractTests {
  @Test("It meets the back end contract", arguments: TokenCacheContract.cases)
  func keeps(_ rule: ContractCase) async throws {
    let backend = InMemoryBackend(leaseTimeout: rule.leaseTimeout)
    try await rule.check(
      ContractEnvironment(backend: backend, other: backend, storeRaw: { await backend.storeRaw($0, for: $1) })
    )
  }
}
