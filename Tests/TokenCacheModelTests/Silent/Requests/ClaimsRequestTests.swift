// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheContract
import TokenCacheModel

@Suite("Claims requests")
struct ClaimsRequestTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna
  private static let challenge = #"{"access_token":{"nbf":{"essential":true,"value":"1700000000"}}}"#

  private func token(
    _ account: Account, claims: String? = nil, _ name: String = "mail",
    through backend: (any TokenCacheBackend)? = nil
  ) async throws -> TokenResult {
    var parameters = SilentParameters(scopes: ["mail.read"], account: account)
    parameters.claims = claims
    return try await group.app(name, through: backend).acquireTokenSilent(parameters)
  }

  @Test("They bypass the cache and are sent")
  func sent() async throws {
    let account = try await group.app("mail").signIn(anna.response(1))
    await group.endpoint.response(anna.response(2))
    #expect(try await token(account, claims: Self.challenge).accessToken == "at-2")
    let request = try #require(await group.endpoint.requests.first)
    #expect(request.claims == Self.challenge)
    #expect(request.form.contains { $0.name == "claims" && $0.value == Self.challenge })
    #expect(request.formBody.contains("&claims=%7B%22access_token%22"))
  }

  @Test("Tokens that differ by claims alone are stored separately, and each is found by its own")
  func apart() async throws {
    let account = try await group.app("mail").signIn(anna.response(1))
    for (number, claims) in [(2, #"{"a":1}"#), (3, #"{"b":1}"#)] {
      await group.endpoint.response(anna.response(number))
      _ = try await token(account, claims: claims)
    }
    var query = CredentialQuery([.accessToken])
    for (number, claims) in [(2, #"{"a":1}"#), (3, #"{"b":1}"#)] {
      query.requestedClaims = .equal(claims)
      let found = try await group.app("mail").credentials(of: account, matching: query)
      #expect(found.map(\.secret) == ["at-\(number)"])
    }
  }

  @Test("The token that the resource refused is not returned again: the next call refreshes once")
  func challenged() async throws {
    let account = try await group.app("mail").signIn(anna.response(1))
    await group.endpoint.response(anna.response(2))
    _ = try await token(account, claims: Self.challenge)
    await group.endpoint.response(anna.response(3))
    #expect(try await token(account).accessToken == "at-3")
    #expect(try await token(account).accessToken == "at-3")
    #expect(await group.endpoint.requests.count == 2)
  }

  @Test("A token for claims leaves other resources' tokens unchanged")
  func otherResources() async throws {
    let account = try await group.app("mail").signIn(anna.response(1))
    try await group.app("mail").signIn(anna.response(5, scope: "files.read"))
    await group.endpoint.response(anna.response(2))
    _ = try await token(account, claims: Self.challenge)
    #expect(try await group.document()?.secrets(.accessToken) == ["at-2", "at-5"])
  }

  @Test("Apps with the same claims challenge at once redeem one refresh token")
  func together() async throws {
    let account = try await group.app("mail").signIn(anna.response(1))
    await group.endpoint.response(anna.response(2))
    let (asked, bothAsk) = (Locked(0), OneWayGate())
    await group.endpoint.beforeResponding { await bothAsk.wait() }
    let watched = WatchedBackend(
      inner: group.backend,
      beforeLease: { _ in
        let count = asked.withLock { asked in
          asked += 1
          return asked
        }
        if count == 2 { await bothAsk.open() }
      })
    async let first = token(account, claims: Self.challenge, through: watched)
    async let second = token(account, claims: Self.challenge, "calendar", through: watched)
    #expect(try await [first.accessToken, second.accessToken] == ["at-2", "at-2"])
    #expect(await group.endpoint.requests.count == 1)
  }

  @Test(
    "Claims that are no JSON object throw invalidArgument",
    arguments: ["", "x", "[]", "{", #"{"a":1,"a":2}"#])
  func malformed(claims: String) async throws {
    let account = try await group.app("mail").signIn(anna.response(1))
    await #expect(throws: SecretStoreError(.invalidArgument, "")) { try await token(account, claims: claims) }
    #expect(await group.endpoint.requests.isEmpty)
  }

  @Test("A sign-in with claims stores them beside the token")
  func signIn() async throws {
    let mail = try group.app("mail")
    let account = try await mail.save(
      TokenResponse(members: anna.response(1)), scopes: ["mail.read"], claims: Self.challenge)
    var query = CredentialQuery([.accessToken])
    query.requestedClaims = .equal(Self.challenge)
    #expect(try await mail.credentials(of: account, matching: query).map(\.secret) == ["at-1"])
  }

  @Test("Expired access tokens for claims do not accumulate")
  func expiredTokens() async throws {
    let account = try await group.app("mail").signIn(anna.response(1))
    for n in 2..<42 {
      group.clock.advance(by: 86_400)
      var p = SilentParameters(scopes: ["mail.read"], account: account)
      p.claims = #"{"access_token":{"nbf":{"essential":true,"value":"\#(n)"}}}"#
      await group.endpoint.response(anna.response(n))
      _ = try await group.app("mail").acquireTokenSilent(p)
    }
    let count = try await group.document()?.secrets(.accessToken).count ?? 0
    #expect(count < 5, "\(count) access tokens, all but one expired")
  }
}
