// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheContract
import TokenCacheModel

@Suite("Sign-out during a refresh")
struct SignOutDuringRefreshTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna
  private let interaction = SecretStoreError(.interactionRequired, "")

  /// Signs in, lets the access token expire, and requests another; `hook` runs before the response.
  private func refresh(
    family: String? = nil, during hook: @escaping @Sendable (Account) async throws -> Void
  ) async throws -> TokenResult {
    let mail = try group.app("mail")
    let account = try await mail.signIn(anna.response(1, family: family))
    group.clock.advance(by: 4000)
    await group.endpoint.response(anna.response(2, family: family))
    await group.endpoint.beforeResponding { try await hook(account) }
    return try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
  }

  private func expectNoTokens() async throws {
    for (_, bytes) in try await group.stored() {
      let document = try CacheDocument(parsing: bytes)
      #expect(!document.hasTokens)
      #expect(document.accounts.isEmpty)
    }
    #expect(try await group.familyDocument() == nil)
  }

  @Test(
    "An app that signs out during the refresh gets no token, and nothing is stored", arguments: [nil, "1"])
  func signOut(family: String?) async throws {
    await #expect(throws: interaction) {
      try await refresh(family: family) { [group] in try await group.app("mail").signOut($0) }
    }
    try await expectNoTokens()
  }

  @Test("An account signed out everywhere during the refresh stays signed out", arguments: [nil, "1"])
  func signOutEverywhere(family: String?) async throws {
    await #expect(throws: interaction) {
      try await refresh(family: family) { [group] in
        try await AccountDirectory(backend: group.backend).signOut($0)
      }
    }
    try await expectNoTokens()
  }

  @Test("A client that signs out while the server adds it to a family leaves the family no token")
  func signOutWhileJoining() async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(anna.response(1))
    await group.endpoint.response(anna.response(2, family: "1"))
    await group.endpoint.beforeResponding { try await mail.signOut(account) }
    await #expect(throws: interaction) {
      try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account, forceRefresh: true)
    }
    try await expectNoTokens()
  }

  @Test("A group wiped during the refresh stays empty", arguments: [nil, "1"])
  func wipe(family: String?) async throws {
    await #expect(throws: interaction) {
      try await refresh(family: family) { [group] _ in
        try await AccountDirectory(backend: group.backend).removeEverything(
          recordedAs: "test", clock: group.clock)
      }
    }
    try await expectNoTokens()
  }

  @Test("A family's record that another program deletes during the refresh costs no token")
  func familyDeleted() async throws {
    let result = try await refresh(family: "1") { [group] _ in
      try await group.backend.remove(SharedGroup.familyKey())
    }
    #expect(result.accessToken == "at-2" && result.saveError == nil)
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-2"])
  }

  @Test("A family's new client gets no token if the account is signed out everywhere during its refresh")
  func newClient() async throws {
    let account = try await group.app("mail").signIn(anna.response(1, family: "1"))
    await group.endpoint.response(anna.response(2, family: "1"))
    await group.endpoint.beforeResponding { [group] in
      try await AccountDirectory(backend: group.backend).signOut(account)
    }
    let office = try group.app("office", client: SharedGroup.office)
    await #expect(throws: interaction) {
      try await office.acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    try await expectNoTokens()
  }

  @Test(
    "A client that signs out during the refresh leaves the family's new refresh token to the other clients")
  func otherClientOfFamily() async throws {
    let office = try group.app("office", client: SharedGroup.office)
    try await office.signIn(anna.response(0, family: "1"))
    await #expect(throws: interaction) {
      try await refresh(family: "1") { [group] in try await group.app("mail").signOut($0) }
    }
    #expect(try await group.familyDocument()?.secrets(.refreshToken) == ["rt-2"], "rt-1 is used")
    #expect(try await group.document()?.hasTokens == false)
  }

  @Test("An app that signs out during the refresh does not affect the other apps of its client")
  func signOutOfOne() async throws {
    let account = try await group.app("calendar").signIn(anna.response(0))
    await #expect(throws: interaction) {
      try await refresh { [group] in try await group.app("mail").signOut($0) }
    }
    let document = try #require(try await group.document())
    #expect(document.secrets(.refreshToken) == ["rt-2"], "rt-1 is used")
    #expect(document.metadata.apps(.signedOut) == ["com.contoso.mail"])
    let calendar = try group.app("calendar", isOnline: false)
    let result = try await calendar.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(result.accessToken == "at-2")
  }

  @Test("Another app's sign-out during the refresh does not affect this app")
  func otherSignsOut() async throws {
    try await group.app("calendar").signIn(anna.response(0))
    let result = try await refresh { [group] in try await group.app("calendar").signOut($0) }
    #expect(result.accessToken == "at-2")
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-2"])
  }

  @Test("The refresh token of a sign-in during the refresh remains")
  func signIn() async throws {
    let result = try await refresh { [group, anna] _ in
      try await group.app("calendar").signIn(anna.response(9, scope: "files.read"))
    }
    #expect(result.accessToken == "at-2")
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-9"])
    #expect(try await group.document()?.secrets(.accessToken) == ["at-2", "at-9"])
  }
}
