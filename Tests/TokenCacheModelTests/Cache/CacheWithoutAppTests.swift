// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheModel

@Suite("Token cache without an app")
struct CacheWithoutAppTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna

  /// A cache without an app, like the tool's.
  private func person() throws -> TokenCache {
    TokenCache(
      backend: group.backend, app: nil, clientID: SharedGroup.suite,
      authority: try Authority(SharedGroup.azure), endpoint: group.endpoint, options: group.options)
  }

  @Test("A token from the cache costs no write")
  func cached() async throws {
    let account = try await group.app("mail").signIn(anna.response())
    let result = try await person().acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(result.accessToken == "at-1")
    #expect(try await group.document()?.metadata.revision == 1)
  }

  @Test("A refresh is saved for the apps and changes no app's state")
  func refresh() async throws {
    let account = try await group.app("mail").signIn(anna.response(1))
    await group.endpoint.response(anna.response(2))
    _ = try await person().acquireTokenSilent(scopes: ["mail.read"], account: account, forceRefresh: true)
    let document = try #require(try await group.document())
    #expect(document.secrets(.refreshToken) == ["rt-2"])
    #expect(document.metadata.apps(.signedIn) == ["com.contoso.mail"])
    #expect(document.metadata.apps(.signedOut).isEmpty)
  }

  @Test("An app's sign-out hides the account from that app only")
  func appSignsOut() async throws {
    let account = try await group.app("mail").signIn(anna.response())
    try await group.app("calendar").signIn(anna.response())
    try await group.app("mail").signOut(account)
    #expect(try await person().accounts() == [account])
  }

  @Test("A sign-out covers all apps of the client and no other client")
  func signOut() async throws {
    let office = try group.app("office", client: SharedGroup.office)
    let account = try await group.app("mail").signIn(anna.response(1))
    try await group.app("calendar").signIn(anna.response(2))
    try await office.signIn(anna.response(3))
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
