// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import KeychainItems
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Keychain view: sign-in state and principal account")
struct KeychainViewSignInTests {
  private typealias Sample = KeychainViewSample

  private let group = SharedGroup()
  private let anna = TestUser.anna
  private let boris = TestUser.boris
  private let key = KeychainItemKey(accountMetadataOf: SharedGroup.suite)
  private let common = KeychainViewSample.common
  private let tenant = KeychainViewSample.tenant

  @Test("A sign-out through the token cache shows in the view as signed out without authorities")
  func signedOutByCache() async throws {
    let (mail, view) = (try group.app("mail"), try group.view())
    let account = try await mail.signIn(anna.response())
    try await group.app("calendar").signIn(anna.response(2))
    #expect(try await view.accountMetadata(for: key)?[anna.identifier]?.signInState == .signedIn)
    try await view.save(try Sample.accountMetadata())
    try await mail.signOut(account)
    let state = try #require(try await view.accountMetadata(for: key)?[anna.identifier])
    #expect(state.signInState == .signedOut)
    #expect(state.authorityURL(for: common) == nil)
    #expect(state.fields["athority_map"] == nil)
    let other = try await group.view("calendar").accountMetadata(for: key)
    #expect(other?[anna.identifier]?.signInState == .signedIn)
    #expect(other?[anna.identifier]?.authorityURL(for: common) == tenant)
  }

  @Test("A sign-out saved through the view is the token cache's and removes the authorities")
  func signedOutByView() async throws {
    let (mail, view) = (try group.app("mail"), try group.view())
    let account = try await mail.signIn(anna.response())
    var saved = try Sample.accountMetadata()
    try await view.save(saved)
    var state = try #require(saved[anna.identifier])
    state.signInState = .signedOut
    saved[anna.identifier] = state
    try await view.save(saved)
    #expect(try await mail.signInState(of: account) == .signedOut)
    #expect(try await mail.accounts().isEmpty)
    await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    #expect(try await group.app("calendar").accounts() == [account])
    try await mail.signIn(anna.response(2))
    let again = try #require(try await view.accountMetadata(for: key)?[anna.identifier])
    #expect(again.signInState == .signedIn)
    #expect(again.authorityURL(for: common) == nil)
  }

  @Test("Authorities saved with a sign-out are removed")
  func signedOutWithAuthorities() async throws {
    let view = try group.view()
    var state = try #require(try Sample.accountMetadata()[anna.identifier])
    state.fields["sign_in_state"] = "signed_out"
    var saved = try Sample.accountMetadata()
    saved[anna.identifier] = state
    try await view.save(saved)
    try await group.app("mail").signIn(anna.response())
    let again = try #require(try await view.accountMetadata(for: key)?[anna.identifier])
    #expect(again.signInState == .signedIn)
    #expect(again.authorityURL(for: common) == nil)
  }

  @Test("A state can be saved before any other data of the account")
  func stateFirst() async throws {
    let view = try group.view()
    var saved = KeychainAccountMetadata(clientID: SharedGroup.suite)
    saved[anna.identifier] = KeychainAccountState(fields: ["sign_in_state": "signed_out"])
    try await view.save(saved)
    #expect(try await group.document()?.metadata[SharedGroup.id("mail")] == .signedOut)
    #expect(try await view.accountMetadata(for: key) == saved)
    #expect(try await group.view("calendar").accountMetadata(for: key)?[anna.identifier]?.signInState == nil)
  }

  @Test(
    "A state other than signed out leaves the authorities unchanged",
    arguments: ["signed_in", "unknown", "future"])
  func otherStates(_ name: String) async throws {
    let view = try group.view()
    var saved = try Sample.accountMetadata()
    var state = try #require(saved[anna.identifier])
    state.fields["sign_in_state"] = .string(name)
    saved[anna.identifier] = state
    try await view.save(saved)
    let found = try #require(try await view.accountMetadata(for: key)?[anna.identifier])
    #expect(found == state)
    #expect(found.signInState == (name == "signed_in" ? .signedIn : nil))
    #expect(found.authorityURL(for: common) == tenant)
  }

  @Test("The principal account is the token cache's current account")
  func principal() async throws {
    let (mail, view) = (try group.app("mail"), try group.view())
    let account = try await mail.signIn(anna.response())
    _ = try await mail.currentAccount()
    let known = try await view.accountMetadata(for: key)?.principal
    #expect(known?.homeAccountID == anna.identifier)
    #expect(known?.username == anna.username)
    var saved = try #require(try await view.accountMetadata(for: key))
    saved.principal = KeychainPrincipalAccount(
      homeAccountID: boris.identifier, username: "b", environment: "login.windows.net")
    try await view.save(saved)
    #expect(try await mail.currentAccount().previousIdentifier == boris.identifier)
    #expect(try await view.accountMetadata(for: key)?.principal?.homeAccountID == account.identifier)
    saved.principal = nil
    try await view.save(saved)
    #expect(try await view.accountMetadata(for: key)?.principal == nil)
    #expect(try await mail.currentAccount().previousIdentifier == nil)
  }

  @Test("A principal account in another cloud is in that cloud's record only")
  func principalCloud() async throws {
    let view = try group.view()
    var saved = try Sample.accountMetadata()
    let (us, china) = ("login.microsoftonline.us", "login.chinacloudapi.cn")
    for host in ["login.windows.net", us, china, us] {
      saved.principal = KeychainPrincipalAccount(
        homeAccountID: boris.identifier, username: nil, environment: host)
      try await view.save(saved)
      #expect(try await view.accountMetadata(for: key)?.principal == saved.principal)
    }
    for (host, isCurrent) in [(us, true), (china, false), ("login.windows.net", false)] {
      let mail = try group.app("mail", authority: "https://\(host)/common")
      #expect(try await (mail.currentAccount().previousIdentifier == boris.identifier) == isCurrent)
    }
  }
}
