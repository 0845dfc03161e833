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
