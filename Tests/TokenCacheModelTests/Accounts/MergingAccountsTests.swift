// SPDX-License-Identifier: MIT

import FoundationEssentials
import Testing

@testable import TokenCacheModel

@Suite("Merging accounts")
struct MergingAccountsTests {
  private let guest = "11111111-2222-3333-4444-555555555555"

  private func document(
    client: String, username: String, tenant: String = Person.anna.utid, after seconds: TimeInterval = 0
  ) throws -> CacheDocument {
    let claims: JSONObject = [
      "sub": "s", "tid": .string(tenant), "preferred_username": .string(username),
    ]
    let members = Person.anna.answer(changing: ["id_token": .string(JSONValue.object(claims).idToken)])
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

  @Test("An account known through several clients and tenants is one")
  func one() throws {
    let accounts = merge([
      try document(client: "b", username: "anna@contoso.com"),
      try document(client: "a", username: "anna_contoso.com#EXT#@fabrikam.com", tenant: guest),
    ])
    #expect(accounts.count == 1)
    #expect(accounts.first?.clients == ["a", "b"])
    #expect(accounts.first?.tenants == [guest, Person.anna.utid])
  }

  @Test("The home tenant's user name is the account's, in whatever order the documents come")
  func home() throws {
    let documents = [
      try document(client: "a", username: "anna@contoso.com", after: -100),
      try document(client: "b", username: "guest@fabrikam.com", tenant: guest),
    ]
    for documents in [documents, documents.reversed()] {
      #expect(merge(documents).first?.username == "anna@contoso.com")
    }
  }

  @Test("Of one tenant's entries the newest speaks, in whatever order the documents come")
  func newest() throws {
    let documents = [
      try document(client: "a", username: "old@contoso.com", after: -100),
      try document(client: "b", username: "new@contoso.com"),
      try document(client: "c", username: "older@contoso.com", after: -200),
    ]
    for _ in 0..<20 { #expect(merge(documents.shuffled()).first?.username == "new@contoso.com") }
  }

  @Test("Entries without a user name don't speak when another has one")
  func nameless() throws {
    let documents = [
      try document(client: "a", username: ""),
      try document(client: "b", username: "anna@contoso.com", after: -9),
    ]
    #expect(merge(documents).first?.username == "anna@contoso.com")
  }

  @Test("Entries under two hosts of one cloud are one account; those of two clouds are two")
  func environments() throws {
    var other = try document(client: "b", username: "anna@contoso.com")
    for (cloud, expected) in [("login.microsoftonline.com", 1), ("login.microsoftonline.us", 2)] {
      var account = AccountEntry(
        homeAccountID: Person.anna.identifier, environment: cloud, realm: Person.anna.utid)
      account.fields["username"] = "anna@contoso.com"
      other[.account] = ["k": .object(account.fields)]
      #expect(merge([try document(client: "a", username: "anna@contoso.com"), other]).count == expected)
    }
  }
}
