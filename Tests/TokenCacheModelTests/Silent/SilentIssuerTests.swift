// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing

@testable import KeychainItems
@testable import TokenCacheModel
@testable import UnifiedCache

/// Two people with one `sub`: Ada at the issuer `red`, Bob at another.
@Suite("Silent calls: issuers on one host")
struct SilentIssuerTests {
  private static let red = "https://id.contoso.com/red"
  private static let blue = "https://id.contoso.com/blue"

  private let group = SharedGroup()
  private let interaction = SecretStoreError(.interactionRequired, "")
  private let ada = TestUser(uid: "", utid: "", username: "ada@contoso.com")
  private let bob = TestUser(uid: "", utid: "", username: "bob@contoso.com")

  private var directory: AccountDirectory { AccountDirectory(backend: group.backend) }

  private func app(_ authority: String, _ name: String = "mail") throws -> TokenCache {
    try group.app(name, authority: authority)
  }

  @discardableResult
  private func adaSignsIn(_ number: Int = 1) async throws -> Account {
    try await app(Self.red).signIn(ada.openIDResponse(number, subject: "1001"))
  }

  @discardableResult
  private func bobSignsIn(_ number: Int = 2, at authority: String = blue) async throws -> Account {
    try await app(authority).signIn(bob.openIDResponse(number, subject: "1001"))
  }

  private func requestedURLs() async -> [String] {
    await group.endpoint.requests.map(\.authority.url.absoluteString)
  }

  /// Issuers that are not `red`, and AD FS at its host.
  static let others = IssuerTests.others + ["https://id.contoso.com/adfs"]

  @Test(
    "Users with one sub are two accounts, and an app lists its issuer's account",
    arguments: IssuerTests.others)
  func accounts(_ other: String) async throws {
    let adaAccount = try await adaSignsIn()
    #expect(try await app(other, "calendar").accounts().isEmpty)
    #expect(try await app(other, "calendar").account(identifier: "1001") == nil)
    let bobAccount = try await bobSignsIn(at: other)
    #expect(adaAccount != bobAccount)
    #expect(try await app(Self.red, "calendar").accounts() == [adaAccount])
    #expect(try await app(other, "calendar").account(identifier: "1001")?.username == "bob@contoso.com")
    #expect(try await directory.accounts().map(\.username) == ["ada@contoso.com", "bob@contoso.com"])
    #expect(try await directory.accounts(named: "1001").count == 2)
  }

  @Test("An issuer's tokens are its own, from the cache and from the server", arguments: others)
  func tokens(_ other: String) async throws {
    let (adaAccount, bobAccount) = (try await adaSignsIn(), try await bobSignsIn(at: other))
    for (authority, account, token) in [(Self.red, adaAccount, "at-1"), (other, bobAccount, "at-2")] {
      let result = try await app(authority).acquireTokenSilent(scopes: ["mail.read"], account: account)
      #expect(result.accessToken == token)
      #expect(result.account.username == account.username)
    }
    await group.endpoint.response(ada.openIDResponse(3, subject: "1001"))
    let refreshed = try await app(Self.red).acquireTokenSilent(
      scopes: ["mail.read"], account: adaAccount, forceRefresh: true)
    #expect(refreshed.accessToken == "at-3")
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["rt-1"])
    #expect(
      try await app(other).acquireTokenSilent(scopes: ["mail.read"], account: bobAccount).accessToken
        == "at-2")
  }

  @Test("No call returns or sends an account's token to another issuer on the host", arguments: others)
  func otherIssuer(_ other: String) async throws {
    let account = try await adaSignsIn()
    await group.endpoint.response(ada.openIDResponse(2, subject: "1001"))
    for isForced in [false, true] {
      await #expect(throws: interaction) {
        try await app(other).acquireTokenSilent(
          scopes: ["mail.read"], account: account, forceRefresh: isForced)
      }
      await #expect(throws: interaction) {
        try await app(Self.red).acquireTokenSilent(
          scopes: ["mail.read"], account: account, authority: try Authority(other), forceRefresh: isForced)
      }
    }
    #expect(await requestedURLs().isEmpty)
  }

  @Test("An AD FS token is not for an OpenID provider on the host")
  func adfs() async throws {
    let account = try await app("https://id.contoso.com/adfs").signIn(ada.openIDResponse(1, subject: "1001"))
    await group.endpoint.response(ada.openIDResponse(2, subject: "1001"))
    await #expect(throws: interaction) {
      try await app(Self.red).acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    #expect(await requestedURLs().isEmpty)
  }

  @Test("AD FS receives no refresh token of another realm that its host's record has")
  func anotherRealm() async throws {
    let adfs = try app("https://id.contoso.com/adfs")
    let account = try await adfs.signIn(ada.openIDResponse(1, subject: "1001"))
    let records = try await group.backend.records(matching: .all(.credentials))
    for realm in ["red", "adfs"] {
      try await group.backend.update(try #require(records.first).key) { stored in
        let token = stored?.credentials.first { $0.kind == .refreshToken }
        stored?[.refreshToken] = ["r": .object((token?.fields ?? [:]).changed(by: ["realm": .string(realm)]))]
      }
      await group.endpoint.response(ada.openIDResponse(2, subject: "1001"))
      _ = try? await adfs.acquireTokenSilent(scopes: ["mail.read"], account: account, forceRefresh: true)
      #expect(await group.endpoint.requests.map(\.refreshToken) == (realm == "adfs" ? ["rt-1"] : []))
    }
  }

  @Test("Azure AD's tokens are not for a B2C authority on the same host")
  func b2cSameHost() async throws {
    let anna = TestUser.anna
    let account = try await group.app("mail").signIn(anna.response(1))
    let b2c = try Authority("https://login.microsoftonline.com/tfp/fabrikam.onmicrosoft.com/B2C_1_signin")
    await group.endpoint.response(anna.response(2))
    for scope in ["mail.read", "files.read"] {
      await #expect(throws: interaction) {
        try await group.app("mail").acquireTokenSilent(scopes: [scope], account: account, authority: b2c)
      }
    }
    #expect(await requestedURLs().isEmpty)
  }

  @Test("Signing out of one issuer leaves the other's account unchanged", arguments: IssuerTests.others)
  func signOut(_ other: String) async throws {
    for isEverywhere in [false, true] {
      let adaAccount = try await adaSignsIn()
      let bobAccount = try await bobSignsIn(at: other)
      if isEverywhere {
        try await directory.signOut(bobAccount)
      } else {
        try await app(other).signOut(bobAccount)
      }
      #expect(try await directory.accounts() == [adaAccount])
      #expect(try await app(other).accounts().isEmpty)
      let result = try await app(Self.red).acquireTokenSilent(scopes: ["mail.read"], account: adaAccount)
      #expect(result.accessToken == "at-1")
    }
  }

  @Test("No issuer has families, and each has its own app metadata")
  func families() async throws {
    let adaAccount = try await app(Self.red).signIn(ada.openIDResponse(1, subject: "1001", family: "1"))
    try await app(Self.blue).signIn(bob.openIDResponse(2, subject: "1001", family: "1"))
    let records = try await group.backend.records(matchingAny: [.all(.family), .all(.credentials)])
    #expect(records.map(\.key.kind) == [.credentials, .credentials])
    #expect(try records.flatMap { try $0.document().appMetadata }.map(\.familyID) == ["", ""])
    try await directory.signOut(adaAccount)
    _ = try await app(Self.blue).currentAccount()
    #expect(try await group.backend.records(matching: .all(.client)).map(\.key.environment) == [Self.blue])
  }

  @Test("Another spelling of the issuer finds the account and its tokens, and signs it out")
  func spellings() async throws {
    let account = try await adaSignsIn()
    let same = try app("HTTPS://ID.contoso.com:443/%72ed/")
    #expect(try await same.accounts() == [account])
    #expect(try await same.acquireTokenSilent(scopes: ["mail.read"], account: account).accessToken == "at-1")
    let external = Account(identifier: "1001", username: "", environment: "https://id.contoso.com/red/")
    #expect(external == account)
    try await same.signOut(external)
    #expect(try await directory.accounts().isEmpty)
  }

  @Test("An app receives the changes at its issuer and none of another's")
  func changes() async throws {
    let changes = try app(Self.red).changes()
    try await bobSignsIn()
    var iterator = changes.makeAsyncIterator()
    guard case .snapshot(let snapshot)? = await iterator.next() else {
      Issue.record("no snapshot")
      return
    }
    #expect(snapshot.accounts.isEmpty)
    try await adaSignsIn()
    guard case .accountAdded(let account)? = await iterator.next() else {
      Issue.record("no account")
      return
    }
    #expect(account.username == "ada@contoso.com")
  }

  @Test("In a keychain view each issuer's items are its own, although paths differ only by case")
  func keychain() async throws {
    for other in [Self.blue, "https://id.contoso.com/Red"] {
      let group = SharedGroup()
      let adaAccount = try await group.app("mail", authority: Self.red).signIn(
        ada.openIDResponse(1, subject: "1001"))
      let bobAccount = try await group.app("mail", authority: other).signIn(
        bob.openIDResponse(2, subject: "1001"))
      let view = KeychainView(backend: group.backend, app: try SharedGroup.id("mail"))
      #expect(try await view.accounts(matching: .accounts()).count == 2)
      for account in [adaAccount, bobAccount] {
        var criteria = KeychainCredentialCriteria(kind: .refreshToken)
        criteria.homeAccountID = "1001"
        criteria.environment = account.environment
        criteria.clientID = SharedGroup.suite
        let found = try await view.credentials(matching: KeychainItemQuery(criteria))
          .filter { $0.environment == account.environment }
        #expect(found.map(\.secret) == [account == adaAccount ? "rt-1" : "rt-2"])
      }
    }
  }

  @Test("A credential saved with its issuer's host belongs to the issuer")
  func savedCredential() async throws {
    for host in ["id.contoso.com", "ID.contoso.com", Self.red] {
      let credential = try CredentialEntry(
        fields: EntryBuilder.fields(
          .refreshToken, secret: "rt",
          changing: [
            "home_account_id": "1001", "environment": .string(host), "client_id": .string(SharedGroup.suite),
          ]))
      try await app(Self.red).save(credential)
    }
    #expect(try await group.stored().keys.map(\.environment) == [Self.red])
    #expect(try await app(Self.red).accounts().map(\.identifier) == ["1001"])
  }
}
