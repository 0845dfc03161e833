// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache

/// A group in its own collection with a number of signed-in accounts.
struct SeededGroup: Sendable {
  let accounts: Int
  let name: String
  /// The file that describes the accounts to the peers.
  let file: String

  static let clientID = "0f4f8d8e-3b1c-4d5a-9a64-0d5a3c1b7e21"
  static let family = "1"
  private static let authority = "https://login.microsoftonline.com/common"

  /// The options of the store, with a timeout for thousands of accounts on a slow machine.
  static var options: SecretStoreOptions {
    var options = SecretStoreOptions()
    options.timeout = .seconds(60)
    return options
  }

  /// The number of the account that is looked up and saved, in the middle of the list.
  var number: Int { (accounts + 1) / 2 }

  /// The attribute value that identifies the peers' items.
  var application: String { "benchmark-\(accounts)" }

  /// Creates and fills groups of these sizes, and the collection of other items.
  ///
  /// The library creates each group and its first account. ``Tools/peers`` writes the other accounts in the same form.
  static func make(_ sizes: [Int], neighbours: Int, _ tools: Tools) async throws -> [SeededGroup] {
    var groups: [SeededGroup] = []
    for size in sizes { groups.append(try await SeededGroup(accounts: size, in: tools.directory)) }
    let plan = "\(tools.directory)/plan.json"
    try write(["neighbours": neighbours, "groups": groups.map(\.file)], to: plan)
    _ = try await Program.numbers(tools.peer("seeded_keyrings.py") + [plan])
    for group in groups {
      let cache = try group.cache(SecretStore(options: options))
      // The measured account also has a family token. Every document has its own refresh token.
      try await cache.save(group.response(version: 0, family: family), scopes: SampleResponse.scopes)
      try await cache.save(group.response(version: 0), scopes: SampleResponse.scopes)
      _ = try await Program.numbers(tools.peer("worker.py") + ["msal-seed", "1", "1", group.file])
    }
    return groups
  }

  /// Creates a group with its first account, and describes all of them to the peers.
  init(accounts: Int, in directory: String) async throws {
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

  /// Returns an app's cache over a back end that has read nothing yet.
  func cache(_ store: SecretStore) throws -> TokenCache {
    try store.tokenCache(
      for: try AppEntitlements(app: "com.example.benchmark", groups: [name]), group: name,
      clientID: Self.clientID, authority: try Authority(Self.authority))
  }

  /// Returns a response for the measured account.
  func response(version: Int, family: String? = nil) throws -> TokenResponse {
    try SampleResponse.make(account: number, version: version, family: family)
  }

  /// Returns the measured account.
  func account(in cache: TokenCache) async throws -> Account {
    guard let account = try await cache.account(identifier: identifier) else {
      throw BenchmarkFailure("The seeded account is not there.")
    }
    return account
  }

  /// The home account id of the measured account.
  var identifier: String { SampleResponse.identifier(account: number) }
}
