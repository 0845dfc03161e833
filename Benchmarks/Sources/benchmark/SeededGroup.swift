// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache

/// A group of its own collection with a number of accounts signed in, and how the items of one of them are found.
struct SeededGroup {
  let accounts: Int
  let name: String

  private static let clientID = "0f4f8d8e-3b1c-4d5a-9a64-0d5a3c1b7e21"
  private static let family = "1"

  /// The number of the account that is looked up and saved: one in the middle.
  var number: Int { (accounts + 1) / 2 }

  /// Makes the group.
  init(accounts: Int) async throws {
    self.accounts = accounts
    self.name = "com.example.benchmark-\(accounts)-\(UUID().uuidString.lowercased())"
    let cache = try cache(SecretStore())
    // The measured account has a family token, too; every document has a refresh token of its own.
    try await cache.save(familyResponse(version: 0), scopes: SampleResponse.scopes)
    for number in 1...accounts {
      try await cache.save(
        SampleResponse.make(account: number, version: 0), scopes: SampleResponse.scopes)
    }
  }

  /// An app's cache, over a back end that has read nothing yet.
  func cache(_ store: SecretStore) throws -> TokenCache {
    try store.tokenCache(
      for: try AppEntitlements(app: "com.example.benchmark", groups: [name]), group: name,
      clientID: Self.clientID, authority: try Authority("https://login.microsoftonline.com/common"))
  }

  /// A response with a family token for the account that is measured.
  func familyResponse(version: Int) throws -> TokenResponse {
    try SampleResponse.make(account: number, version: version, family: Self.family)
  }

  /// The account that is measured.
  func account(in cache: TokenCache) async throws -> Account {
    let identifier = SampleResponse.identifier(account: number)
    guard let account = try await cache.account(identifier: identifier) else {
      throw BenchmarkFailure("The seeded account is not there.")
    }
    return account
  }

  // MARK: Attributes

  /// The `floor` program's arguments that name the items of an operation.
  func attributes(_ operation: Operation) -> [String] {
    switch operation {
    case .coldLookUp, .repeatedLookUp, .save: document
    case .list: search(["kind": "credentials"])
    case .saveFamily: familyToken + ["--"] + document
    case .firstSave: document + ["--"] + marker
    }
  }

  private var document: [String] {
    item([
      "kind": "credentials", "home_account_id": SampleResponse.identifier(account: number),
      "environment": "login.windows.net", "client_id": Self.clientID,
    ])
  }

  private var familyToken: [String] {
    item([
      "kind": "family", "home_account_id": SampleResponse.identifier(account: number),
      "environment": "login.windows.net", "family_id": Self.family,
    ])
  }

  private var marker: [String] { item(["kind": "group"]) }

  /// One item has all attributes, empty where they don't apply.
  private func item(_ values: [String: String]) -> [String] {
    let names = ["home_account_id", "environment", "client_id", "family_id", "key"]
    let empty = Dictionary(uniqueKeysWithValues: names.map { ($0, "") })
    return search(empty.merging(values) { $1 })
  }

  private func search(_ values: [String: String]) -> [String] {
    values.merging(["publisher": "", "group": name]) { $1 }.map { "\($0.key)=\($0.value)" }.sorted()
  }
}
