// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import KeychainItems
@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Keychain view: accounts")
struct KeychainViewAccountTests {
  private typealias Sample = KeychainViewSample

  private let group = SharedGroup()
  private let leftovers = RecordKey.groupData("imported")

  @Test(
    "An account is found by its key with every field, with credentials and without",
    arguments: [true, false],
    [
      [:], ["username": .null], ["realm": .null, "authority_type": .null], ["username": "", "future": [1]],
      ["home_account_id": "Ada@Contoso.com", "environment": "id.contoso.com", "username": .null],
    ] as [JSONObject])
  func found(hasCredentials: Bool, changes: JSONObject) async throws {
    let view = try group.view()
    let entry = try Sample.account(.anna, changes)
    if hasCredentials {
      let owner = try Sample.credential(
        .refreshToken, "rt", of: .anna,
        [
          "home_account_id": .string(entry.homeAccountID), "environment": .string(entry.environment),
        ])
      try await view.save(owner)
    }
    try await view.save(entry)
    let key = KeychainItemKey(of: entry)
    let stored = try #require(try await view.account(for: key))
    #expect(stored == entry)
    #expect(KeychainItemKey(of: stored) == key)
    #expect(try await view.accounts(matching: .items()) == [entry])
    #expect(try await view.removeAccount(key))
    #expect(try await !view.removeAccount(key))
    #expect(try await view.account(for: key) == nil)
  }

  @Test("Saving merges with the previous account: members that only that one has remain")
  func merges() async throws {
    let view = try group.view()
    for hasCredentials in [false, true] {
      if hasCredentials { try await view.save(try Sample.credential(.refreshToken)) }
      try await view.save(try Sample.account(.anna, ["alternative_account_id": "live", "name": "Old"]))
      try await view.save(try Sample.account(.anna, ["name": "New", "username": "New@contoso.com"]))
      let stored = try await view.accounts(matching: .accounts())
      let expected = try Sample.account(
        .anna, ["alternative_account_id": "live", "name": "New", "username": "New@contoso.com"])
      #expect(stored == [expected])
      #expect(KeychainItemKey(of: stored[0]).generic == "new@contoso.com")
    }
  }

  @Test("An account in several clients' records is one item with the newest values")
  func owners() async throws {
    let view = try group.view()
    try await view.save(try Sample.credential(.refreshToken))
    try await view.save(
      try Sample.credential(.refreshToken, "rt", of: .anna, ["client_id": .string(SharedGroup.office)]))
    let entry = try Sample.account()
    try await view.save(entry)
    for client in [SharedGroup.suite, SharedGroup.office] {
      #expect(try await group.document(client: client)?.accounts == [entry])
    }
    #expect(try await group.backend.record(for: leftovers) == nil)
    #expect(try await view.accounts(matching: .accounts()) == [entry])
    #expect(try await view.removeAccount(KeychainItemKey(of: entry)))
    for client in [SharedGroup.suite, SharedGroup.office] {
      #expect(try await group.document(client: client)?.accounts == [])
      #expect(try await group.document(client: client)?.secrets(.refreshToken).count == 1)
    }
  }

  @Test("An account saved before its credentials joins the client's record with the first of them")
  func waits() async throws {
    let view = try group.view()
    let entry = try Sample.account(.anna, ["alternative_account_id": "live"])
    try await view.save(entry)
    #expect(try await group.backend.record(for: leftovers)?.document().accounts == [entry])
    try await view.save(try Sample.credential(.accessToken))
    #expect(try await group.backend.record(for: leftovers)?.document().accounts == [])
    #expect(try await group.document()?.accounts == [entry])
    #expect(try await view.accounts(matching: .accounts()) == [entry])
  }

  @Test("A second client's record takes the account over from the first")
  func siblings() async throws {
    let view = try group.view()
    try await view.saveSignIn()
    try await view.save(
      try Sample.credential(.refreshToken, "rt", of: .anna, ["client_id": .string(SharedGroup.office)]))
    #expect(try await group.document(client: SharedGroup.office)?.accounts == [try Sample.account()])
  }

  @Test("An account is not restored where it is signed out, and returns with the next sign-in")
  func signedOut() async throws {
    let view = try group.view()
    try await view.saveSignIn()
    let mail = try group.app("mail")
    try await mail.signOut(try #require(try await mail.account()))
    try await view.save(try Sample.account())
    #expect(try await group.document()?.accounts == [])
    #expect(try await mail.accounts().isEmpty)
    try await view.save(try Sample.credential(.accessToken))
    #expect(try await mail.account()?.username == TestUser.anna.username)
  }

  @Test("Accounts in different tenants are separate items")
  func tenants() async throws {
    let view = try group.view()
    let entries = try [TestUser.anna.utid, "guest"].map { try Sample.account(.anna, ["realm": .string($0)]) }
    for entry in entries { try await view.save(entry) }
    let query = KeychainItemQuery.accounts(homeAccountID: TestUser.anna.identifier, environment: Sample.host)
    #expect(try await Set(view.accounts(matching: query)) == Set(entries))
    #expect(try await view.removeAccount(KeychainItemKey(of: entries[1])))
    #expect(try await view.accounts(matching: query) == [entries[0]])
  }

  @Test(
    "An account without an ID or an environment throws invalidArgument",
    arguments: [
      ["home_account_id": .null], ["home_account_id": ""], ["environment": .null], ["environment": 1],
    ]
      as [JSONObject])
  func members(_ changes: JSONObject) {
    #expect(throws: SecretStoreError(.invalidArgument, "")) { try Sample.account(.anna, changes) }
  }
}
