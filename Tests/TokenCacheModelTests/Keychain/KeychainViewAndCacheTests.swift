// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import TokenCacheModel

@Suite("The keychain's view and the token cache are one store")
struct KeychainViewAndCacheTests {
  private typealias Sample = KeychainViewSample

  private let group = SharedGroup()
  private let anna = Person.anna

  @Test(
    "What is saved through the view is what the token cache finds, field for field", arguments: [true, false])
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

  @Test("What the token cache saves is what the view finds, field for field")
  func fromCache() async throws {
    try await group.app("mail").signIn(anna.answer(family: "1"))
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

  @Test("The token cache refreshes what was saved through the view, and the view finds what came")
  func refresh() async throws {
    let view = try group.view()
    try await view.saveSignIn()
    let mail = try group.app("mail")
    let account = try #require(try await mail.account())
    await group.endpoint.answer(anna.answer(2))
    let token = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account, forceRefresh: true)
    #expect(token.accessToken == "at-2")
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["rt-1"])
    let key = KeychainItemKey(of: try Sample.credential(.refreshToken))
    #expect(try await view.credential(for: key)?.secret == "rt-2")
    let refreshTokens = try await view.credentials(matching: .items(type: 2002))
    #expect(refreshTokens.map(\.secret) == ["rt-2"])
    #expect(try await view.credentials(matching: .items(type: 2001)).map(\.secret) == ["at-2"])
  }

  @Test("A family's refresh token that was saved through the view signs the family's other client in")
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
    await group.endpoint.answer(anna.answer(2, family: "1"))
    let token = try await office.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(token.accessToken == "at-2")
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["frt-1"])
    #expect(try await view.credential(for: KeychainItemKey(of: shared))?.secret == "rt-2")
  }

  @Test("A single family refresh token is the family's, too, and its removal takes the record")
  func singleFamily() async throws {
    let view = try group.view()
    let entry = try Sample.credential(.familyRefreshToken, "frt", of: anna, ["family_id": "1"])
    try await view.save(entry)
    #expect(try await group.document() == nil)
    #expect(try await group.familyDocument()?.credentials == [entry])
    #expect(try await view.removeCredential(KeychainItemKey(of: entry)))
    #expect(try await group.familyDocument() == nil)
  }

  @Test("Saving a credential signs the app in, and no other app; a family's signs nobody in")
  func signsIn() async throws {
    let mail = try group.app("mail")
    try await mail.signIn(anna.answer())
    let account = try #require(try await mail.account())
    let calendar = try group.app("calendar")
    #expect(try await calendar.signInState(of: account) == nil)
    try await group.view("calendar").save(
      try Sample.credential(.refreshToken, "frt", of: anna, ["family_id": "1"]))
    try await group.view(nil).save(try Sample.credential(.accessToken, "at-2"))
    #expect(try await calendar.signInState(of: account) == nil)
    try await group.view("calendar").save(try Sample.credential(.accessToken, "at-3"))
    #expect(try await calendar.signInState(of: account) == .signedIn)
    #expect(try await group.document()?.sharing.apps(.signedIn).count == 2)
  }

  @Test("Tokens that the token cache's last app signed out of are gone from the view")
  func signOut() async throws {
    let view = try group.view()
    try await view.saveSignIn()
    let mail = try group.app("mail")
    try await mail.signOut(try #require(try await mail.account()))
    #expect(try await view.credentials(matching: .items()) == [])
    #expect(try await view.accounts(matching: .items()) == [])
    #expect(try await view.appMetadata(matching: .items()).count == 1)
  }

  @Test("A removal through the view is one for the token cache, which says who it was")
  func removal() async throws {
    try await group.app("mail").signIn(anna.answer())
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

  @Test("A credential saved under a cloud that the group learnt goes to the cloud's record")
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
