// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing
import TokenCacheModel

@Suite("Refresh")
struct RefreshTests {
  private let group = SharedGroup()
  private let anna = Person.anna

  /// Signs in and lets the access token expire.
  private func expired(
    _ answer: JSONObject? = nil, authority: String = SharedGroup.azure
  ) async throws -> Account {
    let account = try await group.app("mail", authority: authority).signIn(answer ?? anna.answer(1))
    group.clock.advance(by: 4000)
    return account
  }

  @Test("An expired token costs one refresh, and what it brought is saved")
  func refresh() async throws {
    let account = try await expired()
    await group.endpoint.answer(anna.answer(2))
    let calendar = try group.app("calendar")
    let result = try await calendar.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(result.accessToken == "at-2")
    #expect(result.source == .refresh)
    #expect(result.expiresOn == TestClock.start + 4000 + 3600)
    #expect(result.saveError == nil)
    let document = try #require(try await group.document())
    #expect(document.secrets(.accessToken) == ["at-2"])
    #expect(document.secrets(.refreshToken) == ["rt-2"])
    #expect(document.sharing[try SharedGroup.id("calendar")] == .signedIn)
    let again = try await calendar.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(again.source == .cache)
    #expect(await group.endpoint.requests.count == 1)
  }

  @Test("The request has the account's refresh token, the client, the scopes and the account's home tenant")
  func form() async throws {
    let account = try await expired()
    await group.endpoint.answer(anna.answer(2, scope: "mail.read files.read"))
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

  @Test("Outside Azure AD the form holds no more than RFC 6749 section 6 has")
  func openID() async throws {
    let authority = "https://id.contoso.com/realms/staff"
    let account = try await expired(anna.openIDAnswer(1), authority: authority)
    await group.endpoint.answer(anna.openIDAnswer(2).changed(by: ["id_token": .null]))
    let mail = try group.app("mail", authority: authority)
    let result = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(result.accessToken == "at-2")
    #expect(
      await group.endpoint.requests.first?.formBody
        == "grant_type=refresh_token&client_id=\(SharedGroup.suite)&refresh_token=rt-1&scope=mail.read")
  }

  @Test("Rotated refresh tokens are redeemed one after the other, each once")
  func rotation() async throws {
    let account = try await expired()
    let mail = try group.app("mail")
    for number in 2...5 {
      await group.endpoint.answer(anna.answer(number))
      let result = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
      #expect(result.accessToken == "at-\(number)")
      group.clock.advance(by: 4000)
    }
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["rt-1", "rt-2", "rt-3", "rt-4"])
  }

  @Test("A server that doesn't rotate leaves the refresh token as it is")
  func noRotation() async throws {
    let account = try await expired()
    let mail = try group.app("mail")
    for number in 2...3 {
      await group.endpoint.answer(anna.answer(number, changing: ["refresh_token": .null]))
      _ = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
      group.clock.advance(by: 4000)
    }
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["rt-1", "rt-1"])
  }

  @Test(
    "The buffer decides when a token counts as expired",
    arguments: [(3299, 0), (3300, 1)] as [(TimeInterval, Int)]
  )
  func buffer(after seconds: TimeInterval, refreshes: Int) async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(anna.answer(1))
    group.clock.advance(by: seconds)
    await group.endpoint.answer(anna.answer(2))
    _ = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(await group.endpoint.requests.count == refreshes)
  }

  @Test("A forced refresh passes over a valid token")
  func forced() async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(anna.answer(1))
    await group.endpoint.answer(anna.answer(2))
    let result = try await mail.acquireTokenSilent(
      scopes: ["mail.read"], account: account, forceRefresh: true)
    #expect(result.accessToken == "at-2")
    #expect(result.source == .refresh)
  }

  @Test("Scopes that no token has cost a refresh, and both tokens stay")
  func otherScopes() async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(anna.answer(1))
    await group.endpoint.answer(anna.answer(2, scope: "files.read openid profile"))
    _ = try await mail.acquireTokenSilent(scopes: ["files.read"], account: account)
    #expect(try await group.document()?.secrets(.accessToken) == ["at-1", "at-2"])
  }

  @Test("Without a refresh token it is interactionRequired, without a request")
  func noRefreshToken() async throws {
    let account = try await expired(anna.answer(changing: ["refresh_token": .null]))
    await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      try await group.app("mail").acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    #expect(await group.endpoint.requests.isEmpty)
  }

  @Test(
    "An authority of another environment never receives the refresh token",
    arguments: [
      "https://login.microsoftonline.us/common", "https://login.evil.com/common", "https://id.contoso.com",
      "https://login.microsoftonline.com.evil.com/common", "https://contoso.b2clogin.com/tfp/contoso/policy",
      "https://login.microsoftonline.com:8443/common",
    ]
  )
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

  @Test("An issuer of the same host but another path never receives the refresh token")
  func otherIssuer() async throws {
    let account = try await expired(anna.openIDAnswer(), authority: "https://id.contoso.com/realms/staff")
    let mail = try group.app("mail", authority: "https://id.contoso.com/realms/guests")
    await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    #expect(await group.endpoint.requests.isEmpty)
  }
}
