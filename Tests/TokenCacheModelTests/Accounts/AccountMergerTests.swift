// SPDX-License-Identifier: MIT

import FoundationEssentials
import Testing
import TokenCacheContract

@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Account merger")
struct AccountMergerTests {
  private let guest = "11111111-2222-3333-4444-555555555555"

  private func document(
    client: String, username: String, tenant: String = TestUser.anna.utid, after seconds: TimeInterval = 0
  ) throws -> CacheDocument {
    let claims: JSONObject = [
      "sub": "s", "tid": .string(tenant), "preferred_username": .string(username),
    ]
    let members = TestUser.anna.response(changing: ["id_token": .string(JSONValue.object(claims).idToken)])
    var document = CacheDocument()
    try TokenEntries(
      TokenResponse(members: members), clientID: client, authority: Authority(SharedGroup.azure),
      requested: [], known: nil, now: TestClock.start + seconds
    ).apply(to: &document)
    return document
  }

  private func merge(_ documents: [CacheDocument]) -> [Account] {
    var merger = AccountMerger()
    for document in documents { merger.add(document) }
    return merger.accounts
  }

  @Test("An account in several clients and tenants is one account")
  func one() throws {
    let accounts = merge([
      try document(client: "b", username: "anna@contoso.com"),
      try document(client: "a", username: "anna_contoso.com#EXT#@fabrikam.com", tenant: guest),
    ])
    #expect(accounts.count == 1)
    #expect(accounts.first?.clients == ["a", "b"])
    #expect(accounts.first?.tenants == [guest, TestUser.anna.utid])
  }

  @Test("The home tenant's user name is the account's, whatever the order of the documents")
  func home() throws {
    let documents = [
      try document(client: "a", username: "anna@contoso.com", after: -100),
      try document(client: "b", username: "guest@fabrikam.com", tenant: guest),
    ]
    for documents in [documents, documents.reversed()] {
      #expect(merge(documents).first?.username == "anna@contoso.com")
    }
  }

  @Test("Of one tenant's entries the newest counts, then the first by name, in any order of documents")
  func newest() throws {
    let documents = [
      try document(client: "a", username: "earlier@contoso.com", after: -100),
      try document(client: "b", username: "new@contoso.com"),
      try document(client: "c", username: "before@contoso.com", after: -200),
      try document(client: "d", username: "young@contoso.com"),
    ]
    for _ in 0..<20 { #expect(merge(documents.shuffled()).first?.username == "new@contoso.com") }
  }

  @Test("An entry without a user name does not count if another has one")
  func nameless() throws {
    let documents = [
      try document(client: "a", username: ""),
      try document(client: "b", username: "anna@contoso.com", after: -9),
    ]
    #expect(merge(documents).first?.username == "anna@contoso.com")
  }

  @Test("The ID token's claims of tokens without an account entry are visible to their client only")
  func claims() throws {
    var document = try document(client: "a", username: "anna@contoso.com")
    document[.account] = [:]
    let token = try #require(document.secrets(.idToken).first)
    for (kinds, showsClaims, shown) in [
      ([CacheSection.idToken, .accessToken], true, token), ([.accessToken], true, nil),
      ([.idToken], false, nil),
    ] {
      var part = document
      for section in CacheSection.credentials where !kinds.contains(section) { part[section] = [:] }
      var merger = AccountMerger()
      merger.add(part, showsClaims: showsClaims)
      #expect(merger.accounts.map { $0.tenantProfiles.map(\.idToken) } == [[shown]])
    }
  }

  @Test("Entries under two hosts of one cloud are one account; entries in two clouds are two")
  func environments() throws {
    var other = try document(client: "b", username: "anna@contoso.com")
    for (cloud, expected) in [("login.microsoftonline.com", 1), ("login.microsoftonline.us", 2)] {
      var account = AccountEntry(
        homeAccountID: TestUser.anna.identifier, environment: cloud, realm: TestUser.anna.utid)
      account.fields["username"] = "anna@contoso.com"
      other[.account] = ["k": .object(account.fields)]
      #expect(merge([try document(client: "a", username: "anna@contoso.com"), other]).count == expected)
    }
  }
}
