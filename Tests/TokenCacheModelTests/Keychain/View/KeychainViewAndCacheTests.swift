// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import KeychainItems
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Keychain view: one store with the token cache")
struct KeychainViewAndCacheTests {
  private typealias Sample = KeychainViewSample

  private let group = SharedGroup()
  private let anna = TestUser.anna

  @Test("The token cache finds every field that the view saves", arguments: [true, false])
  func fromView(accountFirst: Bool) async throws {
    try await group.view().saveSignIn(accountFirst: accountFirst)
    let mail = try group.app("mail", isOnline: false)
    let account = try #require(try await mail.account())
    #expect(account.identifier == anna.identifier)
    #expect(account.username == anna.username)
    #expect(account.name == "A Person")
    #expect(account.tenants == [anna.utid])
    #expect(account.claims?.username == anna.username)
    let found = try await mail.credentials(
      of: account, matching: CredentialQuery(Set(CredentialKind.allCases)))
    let saved = try [
      Sample.credential(.accessToken, "at-1"), Sample.credential(.refreshToken, "rt-1"),
      Sample.credential(.idToken, "", of: anna, ["secret": .string(anna.idToken)]),
    ]
    #expect(Set(found) == Set(saved))
    let token = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(token.accessToken == "at-1")
    #expect(try await mail.signInState(of: account) == .signedIn)
  }

  @Test("The view finds every field that the token cache saves")
  func fromCache() async throws {
    try await group.app("mail").signIn(anna.response(family: "1"))
    let view = try group.view("calendar")
    let document = try #require(try await group.document())
    let family = try #require(try await group.familyDocument())
    let all = document.credentials + family.credentials
    #expect(try await Set(view.credentials(matching: .items())) == Set(all))
    #expect(all.map(\.kind.rawValue).sorted() == ["AccessToken", "IdToken", "RefreshToken"])
    for entry in all { #expect(try await view.credential(for: KeychainItemKey(of: entry)) == entry) }
    #expect(try await view.accounts(matching: .items()) == document.accounts)
    for entry in document.accounts {
      #expect(try await view.account(for: KeychainItemKey(of: entry)) == entry)
    }
    #expect(try await view.appMetadata(matching: .appMetadata()) == document.appMetadata)
    for entry in document.appMetadata {
      #expect(try await view.appMetadata(for: KeychainItemKey(of: entry)) == entry)
    }
  }

  @Test("The token cache refreshes a token that the view saved, and the view finds the new one")
  func refresh() async throws {
    let view = try group.view()
    try await view.saveSignIn()
    let mail = try group.app("mail")
    let account = try #require(try await mail.account())
    await group.endpoint.response(anna.response(2))
    let token = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account, forceRefresh: true)
    #expect(token.accessToken == "at-2")
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["rt-1"])
    let key = KeychainItemKey(of: try Sample.credential(.refreshToken))
    #expect(try await view.credential(for: key)?.secret == "rt-2")
    let refreshTokens = try await view.credentials(matching: .items(type: 2002))
    #expect(refreshTokens.map(\.secret) == ["rt-2"])
    #expect(try await view.credentials(matching: .items(type: 2001)).map(\.secret) == ["at-2"])
  }

  @Test("A family's refresh token saved through the view signs the family's other client in")
  func family() async throws {
    let view = try group.view()
    try await view.saveSignIn()
    try await view.save(try Sample.metadata(["family_id": "1"]))
    let shared = try Sample.credential(.refreshToken, "frt-1", of: anna, ["family_id": "1"])
    try await view.save(shared)
    #expect(try await group.familyDocument()?.credentials == [shared])
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-1"])
    let office = try group.app("office", client: SharedGroup.office)
    let account = try #require(try await office.account())
    await group.endpoint.response(anna.response(2, family: "1"))
    let token = try await office.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(token.accessToken == "at-2")
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["frt-1"])
    #expect(try await view.credential(for: KeychainItemKey(of: shared))?.secret == "rt-2")
  }

  @Test("A family refresh token alone is the family's, and its removal removes the record")
  func singleFamily() async throws {
    let view = try group.view()
    let entry = try Sample.credential(.familyRefreshToken, "frt", of: anna, ["family_id": "1"])
    try await view.save(entry)
    #expect(try await group.document() == nil)
    #expect(try await group.familyDocument()?.credentials == [entry])
    #expect(try await view.removeCredential(KeychainItemKey(of: entry)))
    #expect(try await group.familyDocument() == nil)
  }

  @Test("Saving a credential signs in this app only; saving a family's signs in none")
  func signsIn() async throws {
    let mail = try group.app("mail")
    try await mail.signIn(anna.response())
    let account = try #require(try await mail.account())
    let calendar = try group.app("calendar")
    #expect(try await calendar.signInState(of: account) == nil)
    try await group.view("calendar").save(
      try Sample.credential(.refreshToken, "frt", of: anna, ["family_id": "1"]))
    try await group.view(nil).save(try Sample.credential(.accessToken, "at-2"))
    #expect(try await calendar.signInState(of: account) == nil)
    try await group.view("calendar").save(try Sample.credential(.accessToken, "at-3"))
    #expect(try await calendar.signInState(of: account) == .signedIn)
    #expect(try await group.document()?.metadata.apps(.signedIn).count == 2)
  }

  @Test("The view does not find tokens of which the token cache's last app signed out")
  func signOut() async throws {
    let view = try group.view()
    try await view.saveSignIn()
    let mail = try group.app("mail")
    try await mail.signOut(try #require(try await mail.account()))
    #expect(try await view.credentials(matching: .items()) == [])
    #expect(try await view.accounts(matching: .items()) == [])
    #expect(try await view.appMetadata(matching: .items()).count == 1)
  }

  @Test("The token cache sees a removal through the view and names its app")
  func removal() async throws {
    try await group.app("mail").signIn(anna.response())
    let view = try group.view("calendar")
    let account = try #require(try await group.app("mail").account())
    for entry in try await view.credentials(matching: .items()) where entry.kind != .idToken {
      #expect(try await view.removeCredential(KeychainItemKey(of: entry)))
    }
    await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      try await group.app("mail").acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    #expect(try await WipeRecord.read(from: group.backend)?.app == "com.contoso.calendar")
  }

  @Test("A credential saved under a learned cloud goes to that cloud's record")
  func learnt() async throws {
    let discovery = try InstanceDiscovery(
      parsing: Array(
        #"""
        {"tenant_discovery_endpoint":"https://login.contoso.cloud/t","metadata":[{
        "preferred_network":"login.contoso.cloud","preferred_cache":"sts.contoso.cloud",
        "aliases":["login.contoso.cloud","sts.contoso.cloud"]}]}
        """#.utf8))
    try await group.app("mail").learn(discovery)
    let view = try group.view()
    let entry = try Sample.credential(.refreshToken, "rt", of: anna, ["environment": "login.contoso.cloud"])
    try await view.save(entry)
    try await view.save(try Sample.account(anna, ["environment": "login.contoso.cloud"]))
    let key = RecordKey.credentials(
      homeAccountID: anna.identifier, environment: "sts.contoso.cloud", clientID: SharedGroup.suite)
    #expect(try await group.backend.record(for: key)?.document().credentials == [entry])
    #expect(try await group.backend.record(for: key)?.document().accounts.count == 1)
    #expect(try await view.credential(for: KeychainItemKey(of: entry)) == entry)
  }
}
