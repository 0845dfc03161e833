// SPDX-License-Identifier: MIT

import Testing

@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

/// A user name that only an entry at the issuers' host states, without a token.
@Suite("Names at issuers' hosts")
struct NamesAtHostsTests {
  private let group = SharedGroup()
  private var directory: AccountDirectory { AccountDirectory(backend: group.backend) }

  private static let name = "ada@contoso.com"

  private func take(issuers: [String]) async throws {
    var sections: [String: JSONObject] = [
      "Account": [
        "a": ["home_account_id": "1001", "environment": "id.contoso.com", "username": .string(Self.name)]
      ]
    ]
    for (number, issuer) in issuers.enumerated() {
      let claims: JSONObject = ["iss": .string(issuer), "sub": "1001"]
      let secrets = [CredentialKind.refreshToken: "rt-\(number)", .idToken: JSONValue.object(claims).idToken]
      for (kind, secret) in secrets {
        sections[kind.section.rawValue, default: [:]]["\(number)"] = [
          "home_account_id": "1001", "environment": "id.contoso.com",
          "client_id": .string("client \(number)"),
          "credential_type": .string(kind.rawValue), "secret": .string(secret),
        ]
      }
    }
    var file: JSONObject = [:]
    for (section, entries) in sections { file[section] = .object(entries) }
    try await group.importing(file)
  }

  @Test("name the account of each issuer, so that nothing is left once each is signed out")
  func several() async throws {
    let issuers = ["https://id.contoso.com/blue", "https://id.contoso.com/red"]
    try await take(issuers: issuers)
    let named = try await directory.accounts(named: Self.name)
    #expect(named.map(\.environment).sorted() == issuers)
    for account in named { try await directory.signOut(account) }
    #expect(try await directory.accounts().isEmpty)
    let export = try await CacheTransfer(backend: group.backend).exportUnified()
    #expect(try CacheDocument(parsing: export.json).secrets(.refreshToken).isEmpty)
    #expect(try await directory.accounts(named: Self.name).map(\.environment) == [])
  }

  @Test("stay those of an account without a token where no issuer has it")
  func none() async throws {
    try await take(issuers: [])
    let named = try await directory.accounts(named: Self.name)
    #expect(named.map(\.environment) == ["id.contoso.com/*"])
  }
}
