// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheModel

@Suite("Tokens bound to a key or an app")
struct BoundTokenTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna

  private func pop(_ key: String) -> AccessTokenScheme {
    AccessTokenScheme(
      tokenType: "pop", keyID: key, requestParameters: [("token_type", "pop"), ("req_cnf", "cnf-of-\(key)")])
  }

  private func token(_ account: Account, _ scheme: AccessTokenScheme) async throws -> TokenResult {
    var parameters = SilentParameters(scopes: ["mail.read"], account: account)
    parameters.scheme = scheme
    return try await group.app("mail").acquireTokenSilent(parameters)
  }

  @Test("A bound token is requested with the scheme's parameters and found under its scheme and key")
  func bound() async throws {
    let account = try await group.app("mail").signIn(anna.response(1))
    await group.endpoint.response(anna.response(2, changing: ["token_type": "pop"]))
    let result = try await token(account, pop("key-1"))
    #expect(result.accessToken == "at-2")
    #expect(result.tokenType == "pop")
    #expect(try await token(account, pop("key-1")).source == .cache)
    let form = try #require(await group.endpoint.requests.first).form
    #expect(form.contains { $0.name == "token_type" && $0.value == "pop" })
    #expect(form.contains { $0.name == "req_cnf" && $0.value == "cnf-of-key-1" })
  }

  @Test("A token with another key, another scheme or none is not returned for it")
  func others() async throws {
    let account = try await group.app("mail").signIn(anna.response(1))
    await group.endpoint.response(anna.response(2, changing: ["token_type": "pop"]))
    _ = try await token(account, pop("key-1"))
    #expect(try await token(account, .bearer).accessToken == "at-1")
    for (number, scheme) in [
      (3, pop("key-2")), (4, AccessTokenScheme(tokenType: "ssh-cert", keyID: "key-1")),
    ] {
      await group.endpoint.response(
        anna.response(number, changing: ["token_type": .string(scheme.tokenType ?? "")]))
      #expect(try await token(account, scheme).accessToken == "at-\(number)")
    }
    #expect(try await group.document()?.secrets(.accessTokenWithAuthScheme) == ["at-2", "at-3", "at-4"])
    #expect(try await token(account, pop("key-1")).accessToken == "at-2")
  }

  @Test("Access tokens are partitioned by the cache's app, refresh tokens are not")
  func partitioned() async throws {
    let work = try group.app("mail") { $0.applicationIdentifier = "com.contoso.mail" }
    let account = try await work.signIn(anna.response(1))
    #expect(try await work.acquireTokenSilent(scopes: ["mail.read"], account: account).accessToken == "at-1")
    let other = try group.app("calendar") { $0.applicationIdentifier = "com.contoso.calendar" }
    let plain = try group.app("notes")
    for (number, app) in [(2, other), (3, plain)] {
      await group.endpoint.response(anna.response(number))
      let result = try await app.acquireTokenSilent(scopes: ["mail.read"], account: account)
      #expect(result.accessToken == "at-\(number)")
    }
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["rt-1", "rt-2"])
    #expect(try await group.document()?.secrets(.accessToken) == ["at-1", "at-2", "at-3"])
    #expect(try await work.acquireTokenSilent(scopes: ["mail.read"], account: account).accessToken == "at-1")
  }

  // MARK: Credentials without a token response

  private func credential(_ kind: CredentialKind, _ secret: String, _ changes: JSONObject = [:]) throws
    -> CredentialEntry
  {
    var fields: JSONObject = [
      "credential_type": .string(kind.rawValue), "home_account_id": .string(anna.identifier),
      "environment": "login.windows.net", "client_id": .string(SharedGroup.suite), "secret": .string(secret),
    ]
    for (name, value) in changes { fields[name] = value }
    return try CredentialEntry(fields: fields)
  }

  @Test("Device-bound refresh tokens are found by the device, the one cached last first")
  func boundRefreshTokens() async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(anna.response(1))
    try await mail.save(credential(.boundRefreshToken, "d1", ["bound_device_id": "1", "cached_at": "1000"]))
    var query = CredentialQuery([.boundRefreshToken])
    query.boundDeviceID = .equal("1")
    #expect(try await mail.credentials(of: account, matching: query).map(\.secret) == ["d1"])
    query.boundDeviceID = .equal("2")
    #expect(try await mail.credentials(of: account, matching: query).isEmpty)
    try await mail.save(credential(.boundRefreshToken, "d2", ["bound_device_id": "2", "cached_at": "2000"]))
    query.boundDeviceID = .any
    #expect(try await mail.credentials(of: account, matching: query).map(\.secret) == ["d2", "d1"])
    query.kinds = [.refreshToken]
    #expect(try await mail.credentials(of: account, matching: query).map(\.secret) == ["rt-1"])
  }

  @Test("ID tokens of both versions and primary refresh tokens are stored beside each other")
  func kinds() async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(anna.response(1))
    try await mail.save(credential(.v1IDToken, "v1", ["realm": .string(anna.utid)]))
    try await mail.save(credential(.primaryRefreshToken, "prt", ["session_key": "c2Vzc2lvbg"]))
    for (kind, secret) in [(CredentialKind.v1IDToken, "v1"), (.primaryRefreshToken, "prt")] {
      let found = try await mail.credentials(of: account, matching: CredentialQuery([kind]))
      #expect(found.map(\.secret) == [secret])
    }
    let ids = try await mail.credentials(of: account, matching: CredentialQuery([.idToken]))
    #expect(ids.map(\.secret) == [anna.idToken])
  }

  @Test("A signed-out app finds no credential; a family's refresh token is found with the client's")
  func visibility() async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(anna.response(1, family: "1"))
    #expect(try await mail.credentials(of: account, matching: CredentialQuery()).count == 3)
    try await mail.signOut(account)
    #expect(try await mail.credentials(of: account, matching: CredentialQuery()).isEmpty)
  }

  @Test("Another client's credential, or a family's, is not saved as this client's")
  func notOwn() async throws {
    let mail = try group.app("mail")
    for changes: JSONObject in [["client_id": "another"], ["family_id": "1"]] {
      await #expect(throws: SecretStoreError(.invalidArgument, "")) {
        try await mail.save(credential(.refreshToken, "x", changes))
      }
    }
    #expect(try await group.stored().isEmpty)
  }

  @Test(
    "A credential that lacks a member, has an unknown kind or is too large is refused",
    arguments: [
      ["credential_type": "Password"], ["credential_type": .null], ["secret": ""], ["secret": .null],
      ["client_id": ""], ["environment": .null], ["home_account_id": 5],
      ["secret": .string(String(repeating: "x", count: 1_000_000))],
    ] as [JSONObject])
  func malformed(changes: JSONObject) {
    #expect(throws: SecretStoreError(.invalidArgument, "")) { try credential(.refreshToken, "x", changes) }
  }
}
