// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing
import TokenCacheContract

@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Response of another kind than requested")
struct MismatchedResponseTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna

  private func suite(_ app: String = "mail") throws -> TokenCache { try group.app(app) }

  @Test("A tenant outside Azure AD is refused, and nothing is sent")
  func tenantOpenID() async throws {
    let mail = try group.app("mail", authority: "https://id.contoso.com/realms/a")
    let account = try await mail.signIn(anna.openIDResponse(1))
    for n in [2, 3] {
      await group.endpoint.response(anna.openIDResponse(n))
      let r = try? await mail.acquireTokenSilent(scopes: ["mail.read"], account: account, tenant: "fabrikam")
      #expect(r == nil, "tenant asked fabrikam, got \(r?.tenant ?? "")")
    }
    #expect(await group.endpoint.requests.isEmpty)
  }

  @Test("The names that stand for no tenant are refused as a tenant")
  func tenantCommon() async throws {
    let account = try await suite().signIn(anna.response(1))
    for n in [2, 3, 4] {
      await group.endpoint.response(anna.response(n))
      _ = try? await suite().acquireTokenSilent(scopes: ["mail.read"], account: account, tenant: "common")
    }
    let all = await group.endpoint.sent
    #expect(all.count <= 1, "\(all)")
  }

  @Test("A token of another tenant than requested is not returned")
  func tenantWrong() async throws {
    let account = try await suite().signIn(anna.response(1))
    await group.endpoint.response(anna.response(2))
    let r = try? await suite().acquireTokenSilent(
      scopes: ["mail.read"], account: account, tenant: "3338040d-6c67-4c5b-b112-36a304b66dad")
    #expect(r == nil, "asked for tenant 3338…, got \(r?.tenant ?? "")")
  }

  @Test("A bearer token is not returned for a key-bound one")
  func popDowngrade() async throws {
    let account = try await suite().signIn(anna.response(1))
    var p = SilentParameters(scopes: ["mail.read"], account: account)
    p.scheme = AccessTokenScheme(tokenType: "pop", keyID: "k", requestParameters: [("token_type", "pop")])
    for n in [2, 3] {
      await group.endpoint.response(anna.response(n))
      let r = try? await suite().acquireTokenSilent(p)
      #expect(r == nil, "pop asked, got \(r?.tokenType ?? "") \(r?.accessToken ?? "")")
    }
  }

  @Test("A key-bound token is not returned for a bearer token")
  func bearerUpgrade() async throws {
    let account = try await suite().signIn(anna.response(1))
    await group.endpoint.response(anna.response(2, changing: ["token_type": "pop"]))
    let r = try? await refresh(suite(), account)
    #expect(r == nil, "bearer asked, got \(r?.tokenType ?? "")")
  }

  @Test("A token of type Bearer is a bearer token")
  func bearerNamed() async throws {
    let account = try await suite().signIn(anna.response(1))
    var p = SilentParameters(scopes: ["mail.read"], account: account)
    p.scheme = AccessTokenScheme(tokenType: "Bearer", keyID: nil)
    let r = try? await group.app("mail", isOnline: false).acquireTokenSilent(p)
    #expect(r?.accessToken == "at-1")
  }

  @Test("A nested app's token is not returned to an ordinary call")
  func nested() async throws {
    let account = try await suite().signIn(anna.response(1))
    group.clock.advance(by: 10)
    try await suite().save(
      try CredentialEntry(fields: [
        "credential_type": "AccessToken", "home_account_id": .string(anna.identifier),
        "realm": .string(anna.utid),
        "environment": "login.windows.net", "client_id": .string(SharedGroup.suite), "secret": "nested",
        "target": "mail.read files.read",
        "redirect_uri": "brk-multihub://app", "cached_at": "1700000005", "expires_on": "1700009000",
      ]))
    let r = try await group.app("mail", isOnline: false).acquireTokenSilent(
      scopes: ["mail.read"], account: account)
    #expect(r.accessToken == "at-1")
  }

  @Test("An absolute time is used if the response has no lifetime")
  func expiresOn() async throws {
    try await suite().signIn(anna.response(1, changing: ["expires_in": .null, "expires_on": "1700000600"]))
    let at = try await group.document()?.credentials.first { $0.kind == .accessToken }
    #expect(at?.expiresOn == Date(timeIntervalSince1970: 1_700_000_600))
  }

  @Test("The result's account is the response's")
  func upn() async throws {
    let account = try await suite().signIn(anna.response(1))
    let renamed = TestUser(uid: anna.uid, utid: anna.utid, username: "anna.new@contoso.com")
    await group.endpoint.response(renamed.response(2))
    let r = try await suite().acquireTokenSilent(scopes: ["mail.read"], account: account, forceRefresh: true)
    #expect(r.account.username == "anna.new@contoso.com")
  }
}
