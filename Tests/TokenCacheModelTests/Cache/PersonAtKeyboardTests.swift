// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheModel

@Suite("The person at the keyboard")
struct PersonAtKeyboardTests {
  private let group = SharedGroup()
  private let anna = Person.anna

  /// A cache without an app, as the tool has it.
  private func person() throws -> TokenCache {
    TokenCache(
      backend: group.backend, app: nil, clientID: SharedGroup.suite,
      authority: try Authority(SharedGroup.azure), endpoint: group.endpoint, options: group.options)
  }

  @Test("A token of the cache costs no write")
  func cached() async throws {
    let account = try await group.app("mail").signIn(anna.answer())
    let result = try await person().acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(result.accessToken == "at-1")
    #expect(try await group.document()?.sharing.revision == 1)
  }

  @Test("A refresh is saved for the apps, and no app's state is changed")
  func refresh() async throws {
    let account = try await group.app("mail").signIn(anna.answer(1))
    await group.endpoint.answer(anna.answer(2))
    _ = try await person().acquireTokenSilent(scopes: ["mail.read"], account: account, forceRefresh: true)
    let document = try #require(try await group.document())
    #expect(document.secrets(.refreshToken) == ["rt-2"])
    #expect(document.sharing.apps(.signedIn) == ["com.contoso.mail"])
    #expect(document.sharing.apps(.signedOut).isEmpty)
  }

  @Test("An app's sign-out hides the account from that app only")
  func appSignsOut() async throws {
    let account = try await group.app("mail").signIn(anna.answer())
    try await group.app("calendar").signIn(anna.answer())
    try await group.app("mail").signOut(account)
    #expect(try await person().accounts() == [account])
  }

  @Test("A sign-out is that of all apps of the client, and of no other client")
  func signOut() async throws {
    let office = try group.app("office", client: SharedGroup.office)
    let account = try await group.app("mail").signIn(anna.answer(1))
    try await group.app("calendar").signIn(anna.answer(2))
    try await office.signIn(anna.answer(3))
    try await person().signOut(account)
    for cache in [try group.app("mail"), try group.app("calendar"), try person()] {
      #expect(try await cache.accounts().isEmpty)
      await #expect(throws: SecretStoreError(.interactionRequired, "")) {
        try await cache.acquireTokenSilent(scopes: ["mail.read"], account: account)
      }
    }
    #expect(try await office.accounts().count == 1)
    #expect(try await group.document()?.hasTokens == false)
  }
}
