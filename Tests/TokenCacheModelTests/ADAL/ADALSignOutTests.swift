// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Synchronization
import Testing

@testable import TokenCacheModel

@Suite("Signing out where ADAL and MSAL are side by side")
struct ADALSignOutTests {
  private let group = SharedGroup()

  @Test("An account kept from before it was taken up is signed out of as it is now")
  func keptAccount() async throws {
    try await group.plant(Person.anna.legacyRefreshToken())
    let mail = try group.app("mail")
    let old = try #require(try await mail.account())
    await group.endpoint.answer(Person.anna.answer(2))
    _ = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: old)
    try await mail.signOut(old)
    #expect(try await mail.accounts().isEmpty)
    #expect(
      try await code { _ = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: old) }
        == .interactionRequired)
  }

  @Test("An account kept from before it was taken up is signed out of by the person at the keyboard, too")
  func keptByPerson() async throws {
    try await group.plant(Person.anna.legacyRefreshToken())
    let mail = try group.app("mail")
    let directory = AccountDirectory(backend: group.backend)
    let old = try #require(try await directory.accounts().first)
    await group.endpoint.answer(Person.anna.answer(2))
    _ = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: old)
    try await directory.signOut(old)
    #expect(try await directory.accounts().isEmpty)
    #expect(try await mail.accounts().isEmpty)
  }

  @Test(
    "What comes after the app has signed out of an account that is being taken up is dropped",
    arguments: [true, false])
  func duringTakingUp(knowsHome: Bool) async throws {
    try await group.plant(Person.anna.legacyRefreshToken(knowsHome: knowsHome))
    let mail = try group.app("mail")
    let account = try #require(try await mail.account())
    await group.endpoint.answer(Person.anna.answer(2))
    await group.endpoint.beforeAnswering { try await mail.signOut(account) }
    #expect(
      try await code { _ = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account) }
        == .interactionRequired)
    #expect(try await mail.accounts().isEmpty)
  }

  @Test(
    "An app that signs out between the look at the sign-in and the writing stays signed out",
    arguments: [true, false])
  func whileWriting(isADAL: Bool) async throws {
    try await group.plant(Person.anna.legacyRefreshToken())
    let mail = try group.app("mail")
    let account = try #require(try await mail.account())
    var watched = WatchedBackend(inner: group.backend)
    let isFirst = Mutex(true)
    watched.beforeUpdate = { [group] key in
      guard key.kind == (isADAL ? .legacy : .credentials), isFirst.withLock({ $0.take() })
      else { return }
      try await group.adal("mail", .ownFormat).signOut(userID: "anna@contoso.com")
    }
    await group.endpoint.answer(isADAL ? Person.anna.adalAnswer(2) : Person.anna.answer(2))
    let code = try await code {
      if isADAL {
        _ = try await group.adal("mail", .ownFormat, through: watched).acquireTokenSilent(
          resource: SharedGroup.graph)
      } else {
        _ = try await group.app("mail", through: watched).acquireTokenSilent(
          scopes: ["mail.read"], account: account)
      }
    }
    #expect(code == .interactionRequired)
    #expect(try await mail.accounts().isEmpty)
    #expect(try await group.adal("mail", .ownFormat).users().isEmpty)
  }

  @Test("What comes after everybody was signed out of an account that is being taken up is dropped")
  func everybodyDuringTakingUp() async throws {
    try await group.plant(Person.anna.legacyRefreshToken())
    let mail = try group.app("mail")
    let account = try #require(try await mail.account())
    await group.endpoint.answer(Person.anna.answer(2))
    let directory = AccountDirectory(backend: group.backend)
    await group.endpoint.beforeAnswering { try await directory.signOut(account) }
    #expect(
      try await code { _ = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account) }
        == .interactionRequired)
    #expect(try await directory.accounts().isEmpty)
  }

  @Test("An app that signed out does not come back by what another app signs in under another tenant")
  func anotherTenant() async throws {
    try await group.plant(Person.anna.legacyRefreshToken())
    let mail = try group.app("mail")
    try await mail.signOut(try #require(try await mail.account()))
    try await group.plant(
      Person.anna.legacyRefreshToken("other-rt", authority: "https://login.windows.net/contoso.com"))
    #expect(try await mail.accounts().isEmpty)
    #expect(
      try await group.adal("mail", .ownFormat, authority: "https://login.windows.net/contoso.com").users()
        .isEmpty)
    #expect(try await group.app("other").accounts().count == 1)
  }

  @Test("An app that signed out of MSAL's account does not come back by a later sign-in of ADAL's")
  func laterSignIn() async throws {
    let mail = try group.app("mail")
    try await mail.signOut(try await mail.signIn(Person.anna.answer(1)))
    try await group.plant(Person.anna.legacyRefreshToken())
    #expect(try await mail.accounts().isEmpty)
    let kept = Account(identifier: "", username: "anna@contoso.com", environment: "login.windows.net")
    #expect(
      try await code { _ = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: kept) }
        == .interactionRequired)
    #expect(await group.endpoint.requests.isEmpty)
  }

  @Test("ADAL signs out of a name that two accounts have")
  func twoAccounts() async throws {
    let other = Person(uid: Person.boris.uid, utid: Person.boris.utid, username: Person.anna.username)
    let mail = try group.app("mail")
    try await mail.signIn(Person.anna.answer(1))
    try await mail.signIn(other.answer(2))
    let adal = try group.adal("mail")
    try await adal.signIn(Person.anna.adalAnswer(3))
    try await adal.signOut(userID: "anna@contoso.com")
    #expect(try await adal.users().isEmpty)
    #expect(try await mail.accounts().isEmpty)
  }

  @Test("A client that everybody was signed out of does not come back by its family's refresh token")
  func clientOfFamily() async throws {
    try await group.adal("old", .ownFormat).signIn(Person.anna.adalAnswer(family: "1", hasClientInfo: false))
    let directory = AccountDirectory(backend: group.backend)
    let account = try #require(try await directory.accounts().first)
    try await directory.signOut(account, clientID: SharedGroup.suite)
    #expect(try await group.app("mail").accounts().isEmpty)
    #expect(try await group.adal("old", .ownFormat).users().isEmpty)
    #expect(try await group.app("word", client: SharedGroup.office).accounts().count == 1)
  }

  @Test("An app that signed out in ADAL's format finds the account by its identifier no more")
  func byIdentifier() async throws {
    try await group.adal("app", .ownFormat).signIn(Person.anna.adalAnswer(1, hasClientInfo: false))
    try await group.adal("sibling").signIn(Person.anna.adalAnswer(2))
    try await group.adal("app", .ownFormat).signOut(userID: "anna@contoso.com")
    let app = try group.app("app")
    #expect(try await app.accounts().isEmpty)
    #expect(try await app.account(identifier: Person.anna.identifier) == nil)
    let kept = try #require(try await group.app("sibling").account())
    await group.endpoint.answer(Person.anna.answer(3))
    #expect(
      try await code { _ = try await app.acquireTokenSilent(scopes: ["mail.read"], account: kept) }
        == .interactionRequired)
    #expect(await group.endpoint.requests.isEmpty)
  }

  @Test("Signing out of an account of one cloud leaves AD FS's user of the same name")
  func otherProvider() async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(Person.anna.answer(1))
    let adfs = try group.adal("mail", authority: "https://adfs.contoso.com/adfs")
    try await adfs.signIn(Person.anna.adalAnswer(2, changing: ["resource": .null, "client_info": .null]))
    try await mail.signOut(account)
    #expect(try await adfs.users().count == 1)
    #expect(try await mail.accounts().isEmpty)
  }

  @Test("When one app signs out during a refresh, the others of the client get the new refresh token")
  func othersGoOn() async throws {
    let mail = try group.adal("mail", .ownFormat)
    let calendar = try group.adal("calendar", .ownFormat)
    try await mail.signIn(Person.anna.adalAnswer(1))
    _ = try await calendar.acquireTokenSilent(resource: SharedGroup.graph)
    group.clock.advance(by: 3600)
    await group.endpoint.answer(Person.anna.adalAnswer(2))
    await group.endpoint.beforeAnswering { try await mail.signOut(userID: "anna@contoso.com") }
    #expect(
      try await code { _ = try await mail.acquireTokenSilent(resource: SharedGroup.graph) }
        == .interactionRequired)
    #expect(try await mail.users().isEmpty)
    #expect(try await group.legacyItems(.multiResourceRefreshToken).map(\.refreshToken) == ["rt-2"])
    #expect(try await calendar.acquireTokenSilent(resource: SharedGroup.graph).accessToken == "at-2")
  }
}
