// SPDX-License-Identifier: MIT

import SecretStoreCache
import Synchronization

/// The library under measurement: one group over one open connection.
final class Subject: Sendable {
  private let group: SeededGroup
  private let store: SecretStore
  private let cache: TokenCache
  private let warmCache: TokenCache
  private let account: Account
  private let version = Mutex(0)

  /// Opens the connection and reads the group.
  init(group: SeededGroup, transport: SecretStoreOptions.Transport = .secretService) async throws {
    self.group = group
    var options = SeededGroup.options
    options.transport = transport
    self.store = SecretStore(options: options)
    self.cache = try group.cache(store)
    options.cachesRecords = true
    self.warmCache = try group.cache(SecretStore(options: options))
    guard try await cache.accounts().count == group.accounts else {
      throw BenchmarkFailure("The group does not have its accounts.")
    }
    self.account = try await group.account(in: cache)
  }

  /// Returns the nanoseconds of each run.
  @concurrent func times(_ work: Work, _ limit: Limit) async throws -> [Double] {
    let clock = ContinuousClock()
    let end = clock.now + .milliseconds(limit.milliseconds)
    var times: [Double] = []
    while times.count < limit.runs, times.count < Limit.minimum || clock.now < end {
      times.append(try await time(work))
    }
    return times
  }

  private func time(_ work: Work) async throws -> Double {
    switch work {
    case .coldLookUp:
      return try await timed { try await lookUp(group.cache(store)) }
    case .repeatedLookUp:
      return try await timed { try await lookUp(cache) }
    case .warmLookUp:
      return try await timed { try await lookUp(warmCache) }
    case .list:
      return try await timed { _ = try await cache.accounts() }
    case .save:
      let response = try group.response(version: nextVersion())
      return try await timed { try await save(response) }
    case .saveFamily:
      let response = try group.response(version: nextVersion(), family: SeededGroup.family)
      return try await timed { try await save(response) }
    case .firstSave:
      try await cache.backend.remove(
        .credentials(
          homeAccountID: account.identifier, environment: account.environment, clientID: cache.clientID))
      let response = try group.response(version: nextVersion())
      return try await timed { try await save(response) }
    case .importing, .tool, .memory, .ownMemory:
      throw BenchmarkFailure("That is measured from outside.")
    }
  }

  private func nextVersion() -> Int {
    version.withLock { version in
      version += 1
      return version
    }
  }

  private func lookUp(_ cache: TokenCache) async throws {
    _ = try await cache.acquireTokenSilent(scopes: SampleResponse.scopes, account: account)
  }

  private func save(_ response: TokenResponse) async throws {
    try await cache.save(response, scopes: SampleResponse.scopes)
  }

  private func timed(_ body: () async throws -> Void) async throws -> Double {
    try await ContinuousClock().measure { try await body() } / .nanoseconds(1)
  }
}
