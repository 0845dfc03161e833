// SPDX-License-Identifier: MIT

import Testing
import TokenCacheContract
import TokenCacheModel

@Suite("The in-memory back end")
struct InMemoryContractTests {
  @Test("keeps the back end contract", arguments: TokenCacheContract.cases)
  func keeps(_ rule: ContractCase) async throws {
    let backend = InMemoryBackend()
    try await rule.check(
      ContractEnvironment(backend: backend, other: backend, plant: { await backend.plant($0, for: $1) }))
  }
}
