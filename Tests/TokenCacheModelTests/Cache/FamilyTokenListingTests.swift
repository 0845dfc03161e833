// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheContract

@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

/// The accounts of a peer's cache that has a family's refresh token, and little or nothing else.
@Suite("Accounts listed by a family's token")
struct FamilyTokenListingTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna

  private var directory: AccountDirectory { AccountDirectory(backend: group.backend) }
  private func suite() throws -> TokenCache { try group.app("mail") }
  private func office() throws -> TokenCache { try group.app("office", client: SharedGroup.office) }
  private func account() async throws -> Account { try #require(try await directory.accounts().first) }

  @Test(
    "A family's token is listed, used silently and removed, with its account or alone",
    arguments: [true, false])
  func familyTokenOnly(hasAccount: Bool) async throws {
    for isEverywhere in [false, true] {
      let group = FamilyTokenListingTests()
      try await group.group.importFamily(tokensOf: [], hasAccount: hasAccount)
      let account = try await group.account()
      #expect(account.identifier == anna.identifier)
      #expect(account.username == (hasAccount ? anna.username : ""))
      #expect(account.clients.isEmpty)
      #expect(try await group.directory.accounts(named: anna.identifier) == [account])
      #expect(try await group.suite().accounts() == [account])
      #expect(try await group.suite().accounts().map(\.clients) == [[]])
      #expect(try await group.suite().account(identifier: anna.identifier) == account)
      if isEverywhere {
        try await group.directory.signOut(account)
      } else {
        await group.group.endpoint.response(anna.response(2, family: "1"))
        let result = try await group.suite().acquireTokenSilent(scopes: ["mail.read"], account: account)
        #expect(result.accessToken == "at-2")
        #expect(await group.group.endpoint.requests.map(\.refreshToken) == ["rt-f"])
        try await group.suite().signOut(account)
      }
      #expect(try await group.directory.accounts().isEmpty)
      #expect(try await group.group.familyDocument() == nil)
    }
  }

  @Test("A family's token is not listed for a client outside the family or in another one")
  func notListed() async throws {
    try await group.importFamily(tokensOf: [], metadata: [SharedGroup.office: ""])
    #expect(try await office().accounts().isEmpty)
    let word = try group.app("word", client: "word")
    try await word.signIn(TestUser.boris.response(3, family: "2"))
    #expect(try await word.accounts().map(\.identifier) == [TestUser.boris.identifier])
  }

  @Test("Tokens without an account entry are listed by identifier and ID token, and can be removed")
  func withoutAccount() async throws {
    try await group.importFamily(
      tokensOf: [SharedGroup.suite], metadata: [SharedGroup.suite: ""], hasAccount: false)
    #expect(try await account().clients == [SharedGroup.suite])
    #expect(try await suite().accounts().map(\.username) == [""])
    let token = EntryBuilder.fields(
      .idToken, secret: anna.idToken,
      changing: [
        "home_account_id": .string(anna.identifier), "client_id": .string(SharedGroup.suite),
        "realm": .string(anna.utid),
      ])
    _ = try await CacheTransfer(backend: group.backend).importUnified(
      (["IdToken": ["i": .object(token)]] as JSONObject).bytes)
    #expect(try await suite().accounts().map(\.username) == [anna.username])
    #expect(try await suite().accounts().first?.claims?["oid"] == anna.uid)
    try await directory.signOut(account())
    #expect(try await directory.accounts().isEmpty)
  }
}
