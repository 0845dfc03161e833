// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheModel

@Suite("Sign-out")
struct SignOutTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna
  private let interaction = SecretStoreError(.interactionRequired, "")

  @Test("Signing out of one app leaves the account to another app of the same client")
  func oneApp() async throws {
    let (mail, calendar) = (try group.app("mail"), try group.app("calendar"))
    let account = try await mail.signIn(anna.response())
    _ = try await calendar.acquireTokenSilent(scopes: ["mail.read"], account: account)
    try await mail.signOut(account)
    #expect(try await mail.accounts().isEmpty)
    #expect(try await mail.account(identifier: account.identifier) == nil)
    #expect(try await mail.account(username: account.username) == nil)
    await #expect(throws: interaction) {
      try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    #expect(try await calendar.accounts() == [account])
    let result = try await calendar.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(result.accessToken == "at-1")
  }

  @Test("The tokens are removed with the last app that uses them; a record without a token remains")
  func lastApp() async throws {
    let (mail, calendar) = (try group.app("mail"), try group.app("calendar"))
    let account = try await mail.signIn(anna.response())
    _ = try await calendar.acquireTokenSilent(scopes: ["mail.read"], account: account)
    try await mail.signOut(account)
    #expect(try await group.document()?.hasTokens == true)
    try await calendar.signOut(account)
    let document = try #require(try await group.document())
    #expect(!document.hasTokens)
    #expect(document.accounts.isEmpty)
    #expect(document.metadata.apps(.signedOut).sorted() == ["com.contoso.calendar", "com.contoso.mail"])
    #expect(document.metadata.signOutNumber > 0)
    let text = String(decoding: document.serialized(), as: UTF8.self)
    for secret in ["at-1", "rt-1", "anna@", "A Person", anna.idToken] { #expect(!text.contains(secret)) }
  }

  @Test("An app that only listed the account does not keep its tokens")
  func onlooker() async throws {
    let (mail, calendar) = (try group.app("mail"), try group.app("calendar"))
    let account = try await mail.signIn(anna.response())
    #expect(try await calendar.accounts() == [account])
    try await mail.signOut(account)
    #expect(try await calendar.accounts().isEmpty)
    await #expect(throws: interaction) {
      try await calendar.acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
  }

  @Test("A new sign-in shows the account to that app again")
  func signInAgain() async throws {
    let (mail, calendar) = (try group.app("mail"), try group.app("calendar"))
    let account = try await mail.signIn(anna.response(1))
    try await calendar.signIn(anna.response(1))
    try await mail.signOut(account)
    #expect(try await mail.signIn(anna.response(2)) == account)
    #expect(try await mail.accounts() == [account])
    let result = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(result.accessToken == "at-2")
  }

  @Test("Another app's sign-in does not sign in the one that signed out")
  func otherSignsIn() async throws {
    let (mail, calendar) = (try group.app("mail"), try group.app("calendar"))
    let account = try await mail.signIn(anna.response(1))
    try await mail.signOut(account)
    try await calendar.signIn(anna.response(2))
    #expect(try await mail.accounts().isEmpty)
    await #expect(throws: interaction) {
      try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account, forceRefresh: true)
    }
    #expect(await group.endpoint.requests.isEmpty)
  }

  @Test("Other accounts and other clients stay signed in")
  func others() async throws {
    let mail = try group.app("mail")
    let office = try group.app("mail", client: SharedGroup.office)
    let account = try await mail.signIn(anna.response())
    let boris = try await mail.signIn(TestUser.boris.response())
    try await office.signIn(anna.response(3))
    try await mail.signOut(account)
    #expect(try await mail.accounts() == [boris])
    #expect(try await office.accounts().map(\.identifier) == [anna.identifier])
    let result = try await office.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(result.accessToken == "at-3")
  }

  @Test("Signing out of an unknown account throws no error and writes nothing")
  func absent() async throws {
    let account = try await SharedGroup().app("mail").signIn(anna.response())
    try await group.app("mail").signOut(account)
    #expect(try await group.stored().isEmpty)
  }

  @Test("A second sign-out has no effect, also on the other app")
  func twice() async throws {
    let (mail, calendar) = (try group.app("mail"), try group.app("calendar"))
    let account = try await mail.signIn(anna.response())
    try await calendar.signIn(anna.response())
    for _ in 0..<2 { try await mail.signOut(account) }
    #expect(try await calendar.accounts() == [account])
    for _ in 0..<2 { try await calendar.signOut(account) }
    #expect(try await group.document()?.hasTokens == false)
  }

  @Test("If the record cannot be read or written, the error is thrown and the account stays signed in")
  func failure() async throws {
    let account = try await group.app("mail").signIn(anna.response())
    let before = try await group.stored()
    let error = SecretStoreError(.storageFailed, "The disk is full.")
    let mail = try group.app("mail", through: FailingBackend(inner: group.backend, writeError: error))
    await #expect(throws: error) { try await mail.signOut(account) }
    #expect(try await group.stored() == before)
    await group.backend.storeRaw(Array("hunter2".utf8), for: SharedGroup.key())
    await #expect(throws: SecretStoreError(.corruptItem, "")) {
      try await group.app("mail").signOut(account)
    }
  }

  @Test("The same rules hold outside Azure AD")
  func openID() async throws {
    let authority = "https://id.contoso.com"
    let mail = try group.app("mail", authority: authority)
    let calendar = try group.app("calendar", authority: authority)
    let account = try await mail.signIn(anna.openIDResponse())
    try await calendar.signIn(anna.openIDResponse())
    try await mail.signOut(account)
    #expect(try await mail.accounts().isEmpty)
    #expect(try await calendar.accounts() == [account])
    try await calendar.signOut(account)
    for (_, bytes) in try await group.stored() {
      #expect(!String(decoding: bytes, as: UTF8.self).contains("anna"))
    }
  }
}
