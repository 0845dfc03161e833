// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheModel

@Suite("Sign-in state")
struct SignInStateTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna

  @Test("Each app's state is unknown, then signed in by a sign-in or a silent token, then signed out")
  func states() async throws {
    let (mail, calendar) = (try group.app("mail"), try group.app("calendar"))
    let account = try await mail.signIn(anna.response())
    #expect(try await mail.signInState(of: account) == .signedIn)
    #expect(try await calendar.signInState(of: account) == nil)
    _ = try await calendar.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(try await calendar.signInState(of: account) == .signedIn)
    try await mail.signOut(account)
    #expect(try await mail.signInState(of: account) == .signedOut)
    #expect(try await calendar.signInState(of: account) == .signedIn)
    try await mail.signIn(anna.response(2))
    #expect(try await mail.signInState(of: account) == .signedIn)
  }

  @Test("Each client has its own state")
  func clients() async throws {
    let account = try await group.app("mail").signIn(anna.response())
    #expect(try await group.app("mail", client: SharedGroup.office).signInState(of: account) == nil)
  }

  @Test("It is read from the store: another instance's change is visible at once")
  func read() async throws {
    let (one, two) = (try group.app("mail"), try group.app("mail"))
    let account = try await one.signIn(anna.response())
    #expect(try await two.signInState(of: account) == .signedIn)
    try await two.signOut(account)
    #expect(try await one.signInState(of: account) == .signedOut)
  }

  @Test("Another app's sign-in leaves the tenant states unchanged")
  func tenantsKept() async throws {
    let mail = try group.app("mail", authority: "https://login.microsoftonline.com/contoso.com")
    let account = try await mail.signIn(anna.response())
    for name in ["calendar", "notes"] {
      let result = try await group.app(name, isOnline: false).acquireTokenSilent(
        scopes: ["mail.read"], account: account, tenant: "contoso.com")
      #expect(result.source == .cache)
    }
  }

  @Test("Removing the tokens removes the account's tenant states")
  func tenantsForgotten() async throws {
    let mail = try group.app("mail", authority: "https://login.microsoftonline.com/contoso.com")
    let account = try await mail.signIn(anna.response())
    #expect(try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account).source == .cache)
    try await mail.signOut(account)
    let stored = try #require(try await group.stored()[SharedGroup.key()])
    #expect(!String(decoding: stored, as: UTF8.self).contains("contoso.com"))
  }
}
