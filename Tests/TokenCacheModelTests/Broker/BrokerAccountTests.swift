// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Logging
import StrictJSON
import Testing
import UnifiedCache

@testable import TokenCacheModel

/// The accounts and the sign-out of a cache that uses an identity broker.
@Suite("A broker's accounts")
struct BrokerAccountTests {
  private let group = SharedGroup()
  private let broker = ScriptedBroker([.anna, .boris])

  @Test("They are in the list, marked, and found by every name")
  func listed() async throws {
    let cache = try group.app("mail", broker: broker)
    let accounts = try await cache.accounts()
    #expect(accounts.map(\.username) == ["anna@contoso.com", "boris@contoso.com"])
    #expect(accounts.allSatisfy { $0.isFromBroker })
    #expect(accounts.allSatisfy { $0.environment == "login.microsoftonline.com" })
    let anna = TestUser.anna
    #expect(try await cache.account(identifier: anna.identifier)?.isFromBroker == true)
    #expect(try await cache.account(tenantProfile: anna.uid)?.isFromBroker == true)
    #expect(try await cache.brokerAccounts() == accounts)
  }

  @Test("An account that the group has, too, is listed once and marked")
  func marksKnown() async throws {
    let cache = try group.app("mail", broker: broker)
    try await cache.signIn(TestUser.anna.response())
    let accounts = try await cache.accounts()
    #expect(accounts.map(\.isFromBroker) == [true, true])
    #expect(accounts[0].clients == [SharedGroup.suite])
    #expect(try await group.app("mail").accounts().map(\.isFromBroker) == [false])
  }

  @Test("Without the option and at another provider, no broker is asked")
  func offByDefault() async throws {
    #expect(TokenCacheOptions().broker == nil)
    #expect(try await group.app("mail").accounts().isEmpty)
    #expect(try await group.app("mail").brokerAccounts() == nil)
    let other = try group.app("mail", authority: "https://id.contoso.com") { $0.broker = broker }
    #expect(try await other.accounts().isEmpty)
    #expect(await broker.requests.isEmpty)
  }

  @Test("Where no broker is installed, an app is as before")
  func notInstalled() async throws {
    let cache = try group.app("mail", broker: ScriptedBroker(isInstalled: false))
    #expect(try await cache.accounts().isEmpty)
    #expect(try await cache.brokerAccounts() == nil)
    let account = try await cache.signIn(TestUser.anna.response(1))
    #expect(!account.isFromBroker)
    await group.endpoint.response(TestUser.anna.response(2))
    #expect(try await refresh(cache, account).accessToken == "at-2")
    // Another app has used a broker that is gone.
    let brokerAccount = account.markedAsFromBroker()
    await group.endpoint.response(TestUser.anna.response(3))
    #expect(try await refresh(cache, brokerAccount).accessToken == "at-3")
    try await cache.signOut(brokerAccount)
    #expect(try await cache.accounts().isEmpty)
  }

  @Test("While the broker fails, the group's accounts are listed, and the log and brokerAccounts() say why")
  func failing() async throws {
    let log = CapturedLog()
    let cache = try group.app("mail", broker: broker) { $0.logger = log.logger }
    try await cache.signIn(TestUser.boris.response())
    await broker.fail(.getAccounts, .late)
    #expect(try await cache.accounts().map(\.username) == ["boris@contoso.com"])
    #expect(log.lines.contains { $0.level == .warning && $0.text.contains("did not reply in time") })
    #expect(try await code { _ = try await cache.brokerAccounts() } == .networkError)
  }

  @Test("The last app of the client that signs out removes the account from the broker")
  func lastAppRemoves() async throws {
    let (mail, calendar) = (try group.app("mail", broker: broker), try group.app("calendar", broker: broker))
    let account = try #require(try await mail.account(username: TestUser.anna.username))
    for cache in [mail, calendar] {
      _ = try await cache.acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    try await mail.signOut(account)
    #expect(await !broker.methods.contains(.removeAccount))
    #expect(try await mail.accounts().map(\.username) == ["boris@contoso.com"])
    #expect(try await calendar.accounts().count == 2)
    try await calendar.signOut(account)
    #expect(await broker.methods.contains(.removeAccount))
    #expect(try await calendar.accounts().map(\.username) == ["boris@contoso.com"])
  }

  @Test("A sign-out holds although the broker goes on listing the account", arguments: [true, false])
  func staysSignedOut(isUsed: Bool) async throws {
    let cache = try group.app("mail", broker: broker)
    let account = try #require(try await cache.account(username: TestUser.anna.username))
    if isUsed { _ = try await cache.acquireTokenSilent(scopes: ["mail.read"], account: account) }
    // himmelblau replies so.
    await broker.fail(.removeAccount, .busError(named: "org.freedesktop.DBus.Error.Failed"))
    try await cache.signOut(account)
    #expect(try await cache.accounts().map(\.username) == ["boris@contoso.com"])
    #expect(try await cache.accounts(includingSignedOut: true).count == 2)
    #expect(try await cache.account(identifier: account.identifier) == nil)
    let call = try await code {
      _ = try await cache.acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    #expect(call == .interactionRequired)
    try await cache.signIn(TestUser.anna.response())
    #expect(try await cache.accounts().count == 2)
  }

  @Test("A broker that fails to remove an account fails the sign-out, and the app is signed out")
  func failedRemoval() async throws {
    let cache = try group.app("mail", broker: broker)
    let account = try #require(try await cache.account(username: TestUser.anna.username))
    _ = try await cache.acquireTokenSilent(scopes: ["mail.read"], account: account)
    await broker.fail(.removeAccount, .gone)
    #expect(try await code { try await cache.signOut(account) } == .networkError)
    #expect(try await group.document()?.hasTokens == false)
    #expect(try await cache.account(username: TestUser.anna.username) == nil)
  }

  @Test("A broker that lists no accounts, as himmelblau for a user of another kind, fails no sign-out")
  func refusedList() async throws {
    let cache = try group.app("mail", broker: broker)
    let account = try await cache.signIn(TestUser.anna.response())
    await broker.fail(.getAccounts, .busError(named: "org.freedesktop.DBus.Error.Failed"))
    try await cache.signOut(account)
    #expect(try await cache.accounts().isEmpty)
  }

  @Test("The user's sign-out removes the account from the broker, too")
  func usersSignOut() async throws {
    let user = TokenCache(
      backend: group.backend, app: nil as AppIdentifier?, clientID: SharedGroup.suite,
      authority: try Authority(SharedGroup.azure), endpoint: nil,
      options: try group.app("mail", broker: broker).options)
    let account = try #require(try await user.account(username: TestUser.anna.username))
    try await user.signOut(account)
    #expect(await broker.methods.contains(.removeAccount))
  }

  @Test("The redirect URI is the broker's, or one of the app's that a broker takes")
  func redirectURI() async throws {
    let app = try SharedGroup.id("mail")
    func requested(_ uri: RedirectURI?) async throws -> JSONValue? {
      let cache = try group.app("mail", broker: broker) { $0.brokerRedirectURI = uri }
      _ = try await cache.accounts()
      return try JSONObject(parsing: try #require(await broker.requests.last).text.utf8)["redirectUri"]
    }
    #expect(try await requested(nil) == "https://login.microsoftonline.com/common/oauth2/nativeclient")
    #expect(
      try await requested(RedirectURI(RedirectURI.nativeClient, for: app))
        == "https://login.microsoftonline.com/common/oauth2/nativeclient")
    #expect(try await requested(RedirectURI(defaultFor: app)) == "msauth.com.contoso.mail://auth")
    for text in ["https://contoso.com/mail", "http://127.0.0.1/mail", "x-mail://here"] {
      let uri = try RedirectURI(text, for: app)
      #expect(try await code { _ = try await requested(uri) } == .invalidRedirectURI, "\(text)")
    }
  }
}
