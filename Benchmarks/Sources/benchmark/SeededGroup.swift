// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache

/// A group of its own collection with a number of accounts signed in.
struct SeededGroup: Sendable {
  let accounts: Int
  let name: String
  /// The file that tells the peers about the accounts.
  let file: String

  static let clientID = "0f4f8d8e-3b1c-4d5a-9a64-0d5a3c1b7e21"
  static let family = "1"
  private static let authority = "https://login.microsoftonline.com/common"

  /// The library's, with a deadline for thousands of accounts on a slow machine.
  static var options: SecretStoreOptions {
    var options = SecretStoreOptions()
    options.timeout = .seconds(60)
    return options
  }

  /// The number of the account that is looked up and saved: one in the middle.
  var number: Int { (accounts + 1) / 2 }

  /// What the peers' items are told apart by.
  var application: String { "benchmark-\(accounts)" }

  /// Makes groups of these sizes and fills them, and the collection beside them.
  ///
  /// The library makes each group and its first account; ``Tools/peers`` writes the others as that one.
  static func make(_ sizes: [Int], neighbours: Int, _ tools: Tools) async throws -> [SeededGroup] {
    var groups: [SeededGroup] = []
    for size in sizes { groups.append(try await SeededGroup(accounts: size, in: tools.directory)) }
    let plan = "\(tools.directory)/plan.json"
    try write(["neighbours": neighbours, "groups": groups.map(\.file)], to: plan)
    _ = try await Program.numbers(tools.peer("keyrings.py") + [plan])
    for group in groups {
      let cache = try group.cache(SecretStore(options: options))
      // The measured account has a family token, too; every document has a refresh token of its own.
      try await cache.save(group.response(version: 0, family: family), scopes: SampleResponse.scopes)
      try await cache.save(group.response(version: 0), scopes: SampleResponse.scopes)
      _ = try await Program.numbers(tools.peer("worker.py") + ["msal-seed", "1", "1", group.file])
    }
    return groups
  }

  private init(accounts: Int, in directory: String) async throws {
    self.accounts = accounts
    let name = "com.example.benchmark-\(accounts)-\(UUID().uuidString.lowercased())"
    self.name = name
    self.file = "\(directory)/\(name).json"
    let cache = try cache(SecretStore(options: Self.options))
    try await cache.save(SampleResponse.make(account: 1, version: 0), scopes: SampleResponse.scopes)
    try Self.write(
      [
        "name": name, "application": application, "client_id": Self.clientID, "authority": Self.authority,
        "scopes": SampleResponse.scopes.names, "measured": number - 1,
        "accounts": try (1...accounts).map { try SampleResponse.description(account: $0) },
      ], to: file)
  }

  private static func write(_ object: [String: Any], to path: String) throws {
    try JSONSerialization.data(withJSONObject: object).write(to: URL(filePath: path))
  }

  /// An app's cache, over a back end that has read nothing yet.
  func cache(_ store: SecretStore) throws -> TokenCache {
    try store.tokenCache(
      for: try AppEntitlements(app: "com.example.benchmark", groups: [name]), group: name,
      clientID: Self.clientID, authority: try Authority(Self.authority))
  }

  /// A response for the account that is measured.
  func response(version: Int, family: String? = nil) throws -> TokenResponse {
    try SampleResponse.make(account: number, version: version, family: family)
  }

  /// The account that is measured.
  func account(in cache: TokenCache) async throws -> Account {
    guard let account = try await cache.account(identifier: identifier) else {
      throw BenchmarkFailure("The seeded account is not there.")
    }
    return account
  }

  /// The home account id of the account that is measured.
  var identifier: String { SampleResponse.identifier(account: number) }
}
