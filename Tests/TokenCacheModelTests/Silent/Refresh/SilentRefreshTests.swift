// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing
import TokenCacheContract
import TokenCacheModel

@Suite("Silent refresh")
struct SilentRefreshTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna

  /// Signs in and lets the access token expire.
  private func expired(
    _ response: JSONObject? = nil, authority: String = SharedGroup.azure
  ) async throws -> Account {
    let account = try await group.app("mail", authority: authority).signIn(response ?? anna.response(1))
    group.clock.advance(by: 4000)
    return account
  }

  @Test("An expired token costs one refresh, and its response is saved")
  func refresh() async throws {
    let account = try await expired()
    await group.endpoint.response(anna.response(2))
    let calendar = try group.app("calendar")
    let result = try await calendar.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(result.accessToken == "at-2")
    #expect(result.source == .refresh)
    #expect(result.expiresOn == TestClock.start + 4000 + 3600)
    #expect(result.saveError == nil)
    let document = try #require(try await group.document())
    #expect(document.secrets(.accessToken) == ["at-2"])
    #expect(document.secrets(.refreshToken) == ["rt-2"])
    #expect(document.metadata[try SharedGroup.id("calendar")] == .signedIn)
    let again = try await calendar.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(again.source == .cache)
    #expect(await group.endpoint.requests.count == 1)
  }

  @Test("The request has the account's refresh token, the client, the scopes and the account's home tenant")
  func form() async throws {
    let account = try await expired()
    await group.endpoint.response(anna.response(2, scope: "mail.read files.read"))
    let authority = try Authority("https://login.microsoftonline.com/organizations")
    _ = try await group.app("mail").acquireTokenSilent(
      scopes: ["mail.read", "files.read"], account: account, authority: authority)
    let request = try #require(await group.endpoint.requests.first)
    #expect(request.authority == (try Authority("https://login.microsoftonline.com/\(anna.utid)")))
    #expect(
      request.formBody
        == "grant_type=refresh_token&client_id=\(SharedGroup.suite)&refresh_token=rt-1"
        + "&scope=files.read%20mail.read%20offline_access%20openid%20profile&client_info=1")
  }

  @Test("Outside Azure AD the form has only the parameters of RFC 6749 section 6")
  func openID() async throws {
    let authority = "https://id.contoso.com/realms/staff"
    let account = try await expired(anna.openIDResponse(1), authority: authority)
    await group.endpoint.response(anna.openIDResponse(2).changed(by: ["id_token": .null]))
    let mail = try group.app("mail", authority: authority)
    let result = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(result.accessToken == "at-2")
    #expect(
      await group.endpoint.requests.first?.formBody
        == "grant_type=refresh_token&client_id=\(SharedGroup.suite)&refresh_token=rt-1&scope=mail.read")
  }

  @Test("Rotated refresh tokens are redeemed one after another, each once")
  func rotation() async throws {
    let account = try await expired()
    let mail = try group.app("mail")
    for number in 2...5 {
      await group.endpoint.response(anna.response(number))
      let result = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
      #expect(result.accessToken == "at-\(number)")
      group.clock.advance(by: 4000)
    }
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["rt-1", "rt-2", "rt-3", "rt-4"])
  }

  @Test("A server that does not rotate leaves the refresh token unchanged")
  func noRotation() async throws {
    let account = try await expired()
    let mail = try group.app("mail")
    for number in 2...3 {
      await group.endpoint.response(anna.response(number, changing: ["refresh_token": .null]))
      _ = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
      group.clock.advance(by: 4000)
    }
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["rt-1", "rt-1"])
  }

  @Test(
    "The buffer decides when a token counts as expired",
    arguments: [(3299, 0), (3300, 1)] as [(TimeInterval, Int)])
  func buffer(after seconds: TimeInterval, refreshes: Int) async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(anna.response(1))
    group.clock.advance(by: seconds)
    await group.endpoint.response(anna.response(2))
    _ = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(await group.endpoint.requests.count == refreshes)
  }

  @Test("A forced refresh ignores a valid token")
  func forced() async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(anna.response(1))
    await group.endpoint.response(anna.response(2))
    let result = try await mail.acquireTokenSilent(
      scopes: ["mail.read"], account: account, forceRefresh: true)
    #expect(result.accessToken == "at-2")
    #expect(result.source == .refresh)
  }

  @Test("Scopes without a token cost a refresh, and both tokens remain")
  func otherScopes() async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(anna.response(1))
    await group.endpoint.response(anna.response(2, scope: "files.read openid profile"))
    _ = try await mail.acquireTokenSilent(scopes: ["files.read"], account: account)
    #expect(try await group.document()?.secrets(.accessToken) == ["at-1", "at-2"])
  }

  @Test("Without a refresh token the call throws interactionRequired without a request")
  func noRefreshToken() async throws {
    let account = try await expired(anna.response(changing: ["refresh_token": .null]))
    await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      try await group.app("mail").acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    #expect(await group.endpoint.requests.isEmpty)
  }

  @Test(
    "An authority in another environment never receives the refresh token",
    arguments: [
      "https://login.microsoftonline.us/common", "https://login.evil.com/common", "https://id.contoso.com",
      "https://login.microsoftonline.com.evil.com/common", "https://contoso.b2clogin.com/tfp/contoso/policy",
      "https://login.microsoftonline.com:8443/common",
    ])
  func otherEnvironment(authority: String) async throws {
    let account = try await expired()
    for cache in [try group.app("mail"), try group.app("mail", authority: authority)] {
      await #expect(throws: SecretStoreError(.interactionRequired, "")) {
        try await cache.acquireTokenSilent(
          scopes: ["mail.read"], account: account, authority: Authority(authority))
      }
    }
    #expect(await group.endpoint.requests.isEmpty)
  }

  @Test("An issuer with the same host and another path never receives the refresh token")
  func otherIssuer() async throws {
    let account = try await expired(anna.openIDResponse(), authority: "https://id.contoso.com/realms/staff")
    let mail = try group.app("mail", authority: "https://id.contoso.com/realms/guests")
    await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    #expect(await group.endpoint.requests.isEmpty)
  }
}
