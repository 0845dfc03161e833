// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing
import TokenCacheModel

@Suite("Silent calls: tenant")
struct SilentTenantTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna
  private static let guest = "3338040d-6c67-4c5b-b112-36a304b66dad"

  /// The response of a guest tenant.
  private func guestResponse(_ number: Int) -> JSONObject {
    let claims: JSONObject = [
      "oid": "guest-oid", "tid": .string(Self.guest), "preferred_username": "anna#EXT#",
    ]
    return anna.response(number, changing: ["id_token": .string(JSONValue.object(claims).idToken)])
  }

  @Test(
    "common, organizations and consumers are requested as the account's home tenant",
    arguments: ["common", "organizations", "consumers"])
  func home(tenant: String) async throws {
    let account = try await group.app("mail").signIn(anna.response(1))
    await group.endpoint.response(anna.response(2))
    _ = try await group.app("mail", authority: "https://login.microsoftonline.com/\(tenant)")
      .acquireTokenSilent(scopes: ["mail.read"], account: account, forceRefresh: true)
    let url = await group.endpoint.requests.first?.authority.url.absoluteString
    #expect(url == "https://login.microsoftonline.com/\(anna.utid)")
  }

  @Test("A personal account requests organizations by that name, which has no personal tenant")
  func personal() async throws {
    let person = TestUser(
      uid: "00000000-0000-0000-40c0-3bac188d01d1", utid: "9188040d-6c67-4c5b-b112-36a304b66dad",
      username: "anna@outlook.com")
    let account = try await group.app("mail").signIn(person.response(1))
    for tenant in ["organizations", "common"] {
      await group.endpoint.response(person.response(2))
      _ = try await group.app("mail", authority: "https://login.microsoftonline.com/\(tenant)")
        .acquireTokenSilent(scopes: ["mail.read"], account: account, forceRefresh: true)
    }
    let tenants = await group.endpoint.requests.map { $0.authority.url.lastPathComponent }
    #expect(tenants == ["organizations", person.utid])
  }

  @Test("A requested tenant receives the request, and only it finds the token")
  func asked() async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(anna.response(1))
    await group.endpoint.response(guestResponse(2))
    for source in [TokenResult.Source.refresh, .cache] {
      let result = try await mail.acquireTokenSilent(
        scopes: ["mail.read"], account: account, tenant: Self.guest)
      #expect(result.accessToken == "at-2")
      #expect(result.tenant == Self.guest)
      #expect(result.source == source)
    }
    #expect(await group.endpoint.requests.first?.authority.url.lastPathComponent == Self.guest)
    #expect(try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account).accessToken == "at-1")
  }

  /// "One instance of MSALPublicClientApplication can be used to interact with multiple AAD clouds, and tenants".
  @Test("One cache has accounts of two clouds, each silent at the authority of its call")
  func clouds() async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(anna.response(1))
    let china = try Authority("https://login.partner.microsoftonline.cn/common")
    let other = try await mail.save(
      TokenResponse(members: TestUser.boris.response(2)), scopes: ["mail.read"], authority: china)
    #expect(try await mail.accounts() == [account, other])
    #expect(try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account).accessToken == "at-1")
    let cached = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: other, authority: china)
    #expect(cached.accessToken == "at-2" && cached.source == .cache)
    await group.endpoint.response(TestUser.boris.response(3))
    let renewed = try await mail.acquireTokenSilent(
      scopes: ["mail.read"], account: other, authority: china, forceRefresh: true)
    #expect(renewed.accessToken == "at-3")
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["rt-2"])
    #expect(await group.endpoint.requests.first?.authority.host == "login.partner.microsoftonline.cn")
  }

  @Test("A tenant named by its domain is found in the cache after a response had its ID")
  func domain() async throws {
    let fabrikam = try group.app("mail", authority: "https://login.microsoftonline.com/Fabrikam.com")
    let account = try await fabrikam.signIn(guestResponse(1))
    #expect(try await fabrikam.acquireTokenSilent(scopes: ["mail.read"], account: account).source == .cache)
    let common = try group.app("calendar")
    let byDomain = try await common.acquireTokenSilent(
      scopes: ["mail.read"], account: account, tenant: "fabrikam.COM")
    #expect(byDomain.accessToken == "at-1")
    let byID = try await common.acquireTokenSilent(
      scopes: ["mail.read"], account: account, tenant: Self.guest)
    #expect(byID.accessToken == "at-1")
    #expect(await group.endpoint.requests.isEmpty)
  }

  @Test("An unknown domain is requested at the server once")
  func unknownDomain() async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(guestResponse(1))
    await group.endpoint.response(guestResponse(2))
    for _ in 0..<2 {
      let result = try await mail.acquireTokenSilent(
        scopes: ["mail.read"], account: account, tenant: "fabrikam.com")
      #expect(result.accessToken == "at-2")
    }
    #expect(await group.endpoint.requests.count == 1)
  }

  @Test(
    "A tenant that is no ID and no domain name throws invalidArgument",
    arguments: ["", " ", "a b", "a/b", "a?b", "..", "a%2Fb", "a\u{0}b", String(repeating: "a", count: 254)])
  func malformed(tenant: String) async throws {
    let account = try await group.app("mail").signIn(anna.response(1))
    await #expect(throws: SecretStoreError(.invalidArgument, "")) {
      try await group.app("mail").acquireTokenSilent(
        scopes: ["mail.read"], account: account, tenant: tenant)
    }
    #expect(await group.endpoint.requests.isEmpty)
  }
}
