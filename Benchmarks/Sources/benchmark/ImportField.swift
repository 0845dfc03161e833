// SPDX-License-Identifier: MIT

import SecretStoreCache

/// The contestants of an import: a whole cache into a new group, and as many items into a new collection.
struct ImportField: Sendable {
  let accounts: Int
  private let cache: [UInt8]
  private let tools: Tools

  init(accounts: Int, _ tools: Tools) async throws {
    self.accounts = accounts
    self.tools = tools
    let source = TokenCache(
      backend: InMemoryBackend(), app: try AppIdentifier("com.example.benchmark"),
      clientID: SeededGroup.clientID, authority: try Authority("https://login.microsoftonline.com/common"))
    for number in 1...accounts {
      let response = try SampleResponse.make(account: number, version: 0)
      try await source.save(response, scopes: SampleResponse.scopes)
    }
    cache = try await CacheTransfer(backend: source.backend).exportUnified().json
  }

  var contestants: [Contestant] {
    [
      Contestant(Field.library) { _ in [try await imported()] },
      Contestant("as many `CreateItem`s in C", target: Target(ratio: 1.1, accounts: [1000])) { _ in
        [try await created()]
      },
    ]
  }

  /// Returns the nanoseconds of an import into a group with one account.
  @concurrent private func imported() async throws -> Double {
    try await inNewGroup { group, store in
      let transfer = CacheTransfer(backend: try group.cache(store).backend)
      var summary = ImportSummary?.none
      let time = try await ContinuousClock().measure { summary = try await transfer.importUnified(cache) }
      guard summary?.added == accounts - 1 else { throw BenchmarkFailure("The import is not whole.") }
      return time / .nanoseconds(1)
    }
  }

  /// Returns the nanoseconds of as many bare calls, beside one account.
  @concurrent private func created() async throws -> Double {
    try await inNewGroup { group, _ in
      let limit = Limit(runs: accounts - 1, milliseconds: Int(Int32.max))
      return try await tools.floor("create-new", group.document).times(limit).reduce(0, +)
    }
  }

  private func inNewGroup(
    _ body: (SeededGroup, SecretStore) async throws -> Double
  ) async throws -> Double {
    let group = try await SeededGroup(accounts: 1, in: tools.directory)
    let store = SecretStore(options: SeededGroup.options)
    let time = try await body(group, store)
    try await store.deleteGroup(AccessGroup(group.name))
    return time
  }
}
