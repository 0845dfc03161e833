// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing

@testable import TokenCacheModel

@Suite("Authorities of one host")
struct IssuerTests {
  private let group = SharedGroup()
  private let anna = Person.anna

  private func suite(_ app: String = "mail") throws -> TokenCache { try group.app(app) }

  private func refresh(
    _ cache: TokenCache, _ account: Account, _ scopes: Scopes = ["mail.read"]
  ) async throws -> TokenResult {
    try await cache.acquireTokenSilent(scopes: scopes, account: account, forceRefresh: true)
  }

  @Test("Azure AD's tokens are not for a B2C authority of the same host")
  func b2cSameHost() async throws {
    let account = try await suite().signIn(anna.answer(1))
    let b2c = try Authority("https://login.microsoftonline.com/tfp/fabrikam.onmicrosoft.com/B2C_1_signin")
    let r = try? await suite().acquireTokenSilent(scopes: ["mail.read"], account: account, authority: b2c)
    #expect(r == nil, "AAD access token \(r?.accessToken ?? "") handed out for B2C")
    await group.endpoint.answer(anna.answer(2))
    _ = try? await suite().acquireTokenSilent(scopes: ["files.read"], account: account, authority: b2c)
    let urls = await group.endpoint.requests.map(\.authority.url.absoluteString)
    #expect(urls.isEmpty, "sent to \(urls)")
  }

  @Test("An OpenID provider's refresh token is not sent to an ADFS of the host")
  func adfsOpenID() async throws {
    let staff = "https://id.contoso.com/realms/staff"
    let mail = try group.app("mail", authority: staff)
    let account = try await mail.signIn(anna.openIDAnswer(1))
    let adfs = try group.app("mail", authority: "https://id.contoso.com/adfs")
    await group.endpoint.answer(anna.openIDAnswer(2))
    _ = try? await adfs.acquireTokenSilent(scopes: ["mail.read"], account: account)
    let urls = await group.endpoint.requests.map(\.authority.url.absoluteString)
    #expect(urls.isEmpty, "openID RT sent to \(urls)")
  }

  @Test("An ADFS's refresh token is not sent to an OpenID provider of the host")
  func adfsOpenID2() async throws {
    let adfs = try group.app("mail", authority: "https://id.contoso.com/adfs")
    let account = try await adfs.signIn(anna.openIDAnswer(1))
    let mail = try group.app("mail", authority: "https://id.contoso.com/realms/staff")
    await group.endpoint.answer(anna.openIDAnswer(2))
    _ = try? await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
    let urls = await group.endpoint.requests.map(\.authority.url.absoluteString)
    #expect(urls.isEmpty, "ADFS RT sent to \(urls)")
  }

  @Test("Two issuers of one host keep a refresh token each")
  func twoIssuers() async throws {
    let a = try group.app("mail", authority: "https://id.contoso.com/realms/a")
    let b = try group.app("mail", authority: "https://id.contoso.com/realms/b")
    let account = try await a.signIn(anna.openIDAnswer(1))
    try await b.signIn(anna.openIDAnswer(2))
    await group.endpoint.answer(anna.openIDAnswer(3))
    let r = try? await refresh(a, account)
    #expect(r?.accessToken == "at-3")
    #expect(
      try await group.backend.records(matching: .all(.credentials)).flatMap {
        try $0.document().secrets(.refreshToken)
      }.count == 2)
  }

  @Test("An issuer at the root of a host is not given another issuer's token")
  func rootIssuer() async throws {
    let a = try group.app("mail", authority: "https://id.contoso.com/realms/a")
    let account = try await a.signIn(anna.openIDAnswer(1))
    let root = try group.app("mail", authority: "https://id.contoso.com")
    let r = try? await root.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(r == nil)
  }

  @Test(
    "A refresh token that doesn't say its issuer, as MSAL Python's, goes when redeeming it brought another")
  func unnamedIssuer() async throws {
    let mail = try group.app("mail", authority: "https://id.contoso.com/realms/a")
    let account = try await mail.signIn(anna.openIDAnswer(1))
    let records = try await group.backend.records(matching: .all(.credentials))
    try await group.backend.update(try #require(records.first).key) { stored in
      guard var token = stored?.credentials.first(where: { $0.kind == .refreshToken }) else { return }
      stored?.removeCredentials { $0.kind == .refreshToken }
      token.realm = nil
      stored?.put(token)
    }
    await group.endpoint.answer(anna.openIDAnswer(2))
    _ = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account, forceRefresh: true)
    let left = try await group.backend.records(matching: .all(.credentials))
      .flatMap { try $0.document().secrets(.refreshToken) }
    #expect(left == ["rt-2"])
  }
}
