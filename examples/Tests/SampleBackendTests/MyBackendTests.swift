// SPDX-License-Identifier: MIT

import Testing
import TokenCacheContract

@Test(arguments: TokenCacheContract.cases)
func keeps(_ rule: ContractCase) async throws {
  let backend = MyBackend(leaseTimeout: rule.leaseTimeout)
  try await rule.check(
    ContractEnvironment(backend: backend, other: backend, storeRaw: { await backend.storeRaw($0, for: $1) }))
}
