// SPDX-License-Identifier: MIT

import Testing
import TokenCacheContract
import TokenCacheModel

/// A back end that is no actor, with the signatures as the protocol states them.
nonisolated struct ForwardingBackend: TokenCacheBackend {
  let inner: MyBackend

  nonisolated(nonsending) func records(matching query: RecordQuery) async throws -> [Record] {
    try await inner.records(matching: query)
  }

  nonisolated(nonsending) func records(matchingAny queries: [RecordQuery]) async throws -> [Record] {
    try await inner.records(matchingAny: queries)
  }

  nonisolated func cachedRecord(for key: RecordKey) -> Record? { nil }

  nonisolated(nonsending) func record(for key: RecordKey) async throws -> Record? {
    try await inner.record(for: key)
  }

  nonisolated(nonsending) func update<Outcome: Sendable>(
    _ key: RecordKey, _ change: @Sendable (inout CacheDocument?) throws -> Outcome
  ) async throws -> Outcome {
    try await inner.update(key, change)
  }

  nonisolated(nonsending) func remove(_ key: RecordKey) async throws { try await inner.remove(key) }

  nonisolated(nonsending) func withRefreshLease<Outcome: Sendable>(
    on key: RecordKey, _ body: nonisolated(nonsending) @Sendable () async throws -> Outcome
  ) async throws -> Outcome {
    try await inner.withRefreshLease(on: key, body)
  }

  nonisolated(nonsending) func watch() async -> any GroupWatch {
    ForwardingWatch(inner: await inner.watch())
  }
}

nonisolated struct ForwardingWatch: GroupWatch {
  let inner: any GroupWatch

  nonisolated(nonsending) func wait(atMost limit: Duration) async { await inner.wait(atMost: limit) }

  nonisolated(nonsending) func observe(_ queries: [RecordQuery]) async -> GroupObservation {
    await inner.observe(queries)
  }
}

@Test("A back end that is no actor keeps the contract", arguments: TokenCacheContract.cases)
func forwards(_ rule: ContractCase) async throws {
  let backend = MyBackend(leaseTimeout: rule.leaseTimeout)
  let environment = ContractEnvironment(
    backend: ForwardingBackend(inner: backend), other: backend,
    storeRaw: { await backend.storeRaw($0, for: $1) })
  try await rule.check(environment)
}
