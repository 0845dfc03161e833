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
    let result = TokenResult(
      accessToken: "a", expiresOn: .now, scopes: ["mail.read"], account: ada, isExtendedLifetime: true,
      refreshReason: .expired, refreshError: SecretStoreError(.networkError, "The server is down."))
    #expect(result.isExtendedLifetime && result.refreshReason == .expired)
    #expect(result.refreshError?.code == .networkError)
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
    #expect(account.tenants == ["utid", "other"] && account.environment == "login.windows.net")
    #expect(account.claims?.subject == "sub of \(TestUser.anna.uid)")
    #expect(ada.clients.isEmpty && ada.tenantProfiles.isEmpty && ada.signIns.isEmpty)
  }

  @Test("A snapshot has its state and its accounts")
  func snapshot() {
    let snapshot = GroupSnapshot(state: .locked, accounts: [ada])
    #expect(snapshot.state == .locked && snapshot.accounts == [ada])
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
