// SPDX-License-Identifier: MIT

import SecretStoreCache

/// The library, timed: one operation on one group, over one open connection.
struct Subject {
  private let group: SeededGroup
  private let store = SecretStore()
  private let cache: TokenCache
  private let account: Account

  /// Opens the connection and reads what there is.
  init(group: SeededGroup) async throws {
    self.group = group
    self.cache = try group.cache(store)
    _ = try await cache.accounts()
    self.account = try await group.account(in: cache)
  }

  /// The nanoseconds that each of a number of runs took.
  ///
  /// - Parameter version: The first of the versions of the responses that are saved; each run takes one.
  @concurrent func times(_ operation: Operation, runs: Int, version: Int) async throws -> [Double] {
    var times: [Double] = []
    for run in 0..<runs {
      times.append(try await time(operation, version: version + run))
    }
    return times
  }

  private func time(_ operation: Operation, version: Int) async throws -> Double {
    switch operation {
    case .coldLookUp:
      return try await timed { try await lookUp(group.cache(store)) }
    case .repeatedLookUp:
      return try await timed { try await lookUp(cache) }
    case .list:
      return try await timed { _ = try await cache.accounts() }
    case .save:
      let response = try SampleResponse.make(account: group.number, version: version)
      return try await timed { try await save(response) }
    case .saveFamily:
      let response = try group.familyResponse(version: version)
      return try await timed { try await save(response) }
    case .firstSave:
      try await cache.backend.remove(
        .credentials(
          homeAccountID: account.identifier, environment: account.environment, clientID: cache.clientID))
      let response = try SampleResponse.make(account: group.number, version: version)
      return try await timed { try await save(response) }
    }
  }

  private func lookUp(_ cache: TokenCache) async throws {
    _ = try await cache.acquireTokenSilent(scopes: SampleResponse.scopes, account: account)
  }

  private func save(_ response: TokenResponse) async throws {
    try await cache.save(response, scopes: SampleResponse.scopes)
  }

  private func timed(_ body: () async throws -> Void) async throws -> Double {
    let clock = ContinuousClock()
    return try await clock.measure { try await body() } / .nanoseconds(1)
  }
}
