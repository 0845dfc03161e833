// SPDX-License-Identifier: MIT

import FoundationEssentials
import Testing
import TokenCacheModel

@Suite("Values that an app makes for its tests and previews")
struct PreviewTests {
  private let ada = Account(
    identifier: "uid.utid", username: "ada@contoso.com", environment: "login.windows.net")

  @Test("A result has what it was made from, and its description does not show the token")
  func result() {
    let date = Date(timeIntervalSince1970: 1_800_000_000)
    let result = TokenResult(accessToken: "hunter2", expiresOn: date, scopes: ["mail.read"], account: ada)
    #expect(result.accessToken == "hunter2" && result.expiresOn == date && result.account == ada)
    #expect(result.scopes == ["mail.read"] && result.source == .cache && result.tokenType == "Bearer")
    #expect(!"\(result)".contains("hunter2"))
  }

  @Test("A result has the facts about its refresh that it was made from")
  func refreshedResult() {
    let id = UUID()
    let result = TokenResult(
      accessToken: "a", expiresOn: .now, scopes: ["mail.read"], account: ada, isExtendedLifetime: true,
      correlationID: id, refreshReason: .expired,
      refreshError: SecretStoreError(.networkError, "The server is down."), duration: .seconds(2),
      endpointDuration: .seconds(1))
    #expect(result.isExtendedLifetime && result.refreshReason == .expired)
    #expect(result.refreshError?.code == .networkError && result.correlationID == id)
    #expect(result.duration == .seconds(2) && result.endpointDuration == .seconds(1))
  }

  @Test("An account has its clients, its tenants with their claims, and its sign-ins")
  func account() throws {
    let signIn = Account.SignIn(clientID: "c", app: try AppIdentifier("com.contoso.mail"))
    let account = Account(
      identifier: "uid.utid", username: "ada@contoso.com", environment: "login.microsoftonline.com",
      clients: ["c"],
      tenantProfiles: [
        TenantProfile(tenant: "utid", isHome: true, idToken: TestUser.anna.idToken),
        TenantProfile(tenant: "other"),
      ], signIns: [signIn])
    #expect(account.clients == ["c"] && account.signIns == [signIn])
    #expect(account.tenants == ["utid", "other"] && account.environment == "login.microsoftonline.com")
    #expect(account.claims?.subject == "sub of \(TestUser.anna.uid)")
    #expect(ada.clients.isEmpty && ada.tenantProfiles.isEmpty && ada.signIns.isEmpty)
  }

  @Test("A snapshot has its state and its accounts")
  func snapshot() {
    let snapshot = GroupSnapshot(state: .locked, accounts: [ada])
    #expect(snapshot.state == .locked && snapshot.accounts == [ada])
  }

  @Test("What an app reads of accounts, secrets and declined scopes can be made")
  func otherValues() throws {
    let group = try AccessGroup("com.contoso.shared")
    let declined = DeclinedScopes(granted: ["mail.read"], declined: ["mail.send"])
    #expect("\(declined)" == "granted: mail.read; declined: mail.send" && declined.result == nil)
    #expect(CurrentAccount(account: ada, previousIdentifier: "other").hasChanged)
    #expect(!CurrentAccount(account: ada, previousIdentifier: "uid.utid").hasChanged)
    #expect(AccountListing(accounts: [ada]).accounts == [ada])
    #expect(SecretItem(service: "imap", account: "ada", group: group).group == group)
    #expect(
      WipeRecord(app: "mail", date: .now, isEverything: false).description.hasPrefix("mail removed tokens"))
    #expect(ImportSummary(added: 2).added == 2)
  }

  @Test("A cache made from entitlements acts for their app")
  func entitlements() async throws {
    let backend = InMemoryBackend()
    let app = try AppEntitlements(
      app: "com.contoso.mail", publisher: "contoso", groups: ["com.contoso.shared"])
    let cache = TokenCache(
      backend: backend, app: app, clientID: "c", authority: try Authority("https://id.contoso.com"))
    #expect(cache.app == app.app)
    #expect(try await cache.accounts().isEmpty)
  }
}
