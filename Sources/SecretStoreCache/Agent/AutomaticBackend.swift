// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// A group for an app that asks the agent by itself: through the agent where it can be reached, otherwise in the Secret
/// Service.
///
/// The first call decides. A refusal of the agent is an error: the app does not get around it by the Secret Service.
final class AutomaticBackend: ForeignCopies, DamagedRecords {
  private let agent: AgentBackend
  private let service: SecretServiceBackend
  private let chosen = Locked<(any TokenCacheBackend)?>(nil)

  init(agent: AgentBackend, service: SecretServiceBackend) {
    self.agent = agent
    self.service = service
  }

  private func backend() async throws -> any TokenCacheBackend {
    if let backend = chosen.withLock({ $0 }) { return backend }
    let backend: any TokenCacheBackend = try await agent.isReachable() ? agent : service
    chosen.withLock { $0 = backend }
    return backend
  }

  func records(matching query: RecordQuery) async throws -> [Record] {
    try await backend().records(matching: query)
  }

  func records(matchingAny queries: [RecordQuery]) async throws -> [Record] {
    try await backend().records(matchingAny: queries)
  }

  func recordsOfOthers() async throws -> Set<RecordKey> {
    try await (backend() as? any ForeignCopies)?.recordsOfOthers() ?? []
  }

  func setAside(_ key: RecordKey, since time: Int) async throws -> Bool {
    try await (backend() as? any DamagedRecords)?.setAside(key, since: time) ?? false
  }

  func requirePlace(of key: RecordKey) async throws {
    try await (backend() as? any DamagedRecords)?.requirePlace(of: key)
  }

  func forgetPlaces() async { await (try? backend() as? any DamagedRecords)?.forgetPlaces() }

  func record(for key: RecordKey) async throws -> Record? { try await backend().record(for: key) }

  func cachedRecord(for key: RecordKey) -> Record? { chosen.withLock { $0 }?.cachedRecord(for: key) }

  func update<Outcome: Sendable>(
    _ key: RecordKey, _ change: @Sendable (inout CacheDocument?) throws -> Outcome
  ) async throws -> Outcome {
    try await backend().update(key, change)
  }

  func remove(_ key: RecordKey) async throws { try await backend().remove(key) }

  func withRefreshLease<Outcome: Sendable>(
    on key: RecordKey, _ body: @Sendable () async throws -> Outcome
  ) async throws -> Outcome {
    try await backend().withRefreshLease(on: key, body)
  }

  func watch() async -> any GroupWatch {
    do {
      return try await backend().watch()
    } catch {
      return PollingWatch(backend: self)
    }
  }
}
