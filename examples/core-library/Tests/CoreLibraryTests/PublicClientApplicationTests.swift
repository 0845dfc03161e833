// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache
import Testing

@testable import CoreLibrary

/// A provider that returns prepared responses, one for each request, and records the requests.
private actor ScriptedProvider: HTTPClient {
  private var responses: [(status: Int, body: JSONObject)] = []
  private(set) var requests: [(url: String, form: String)] = []

  func respond(_ next: [(Int, JSONObject)]) { responses += next }

  func send(_ form: String?, to url: URL, headers: HTTPHeaders) throws -> TokenEndpointResponse {
    requests.append((url.absoluteString, form ?? ""))
    if responses.isEmpty { throw SecretStoreError(.networkError, "The machine is offline.") }
    let next = responses.removeFirst()
    return TokenEndpointResponse(status: next.status, body: next.body.serialized())
  }
}

@Suite("Core library, over a back end in memory")
struct PublicClientApplicationTests {
  private let http = ScriptedProvider()
  private let backend = InMemoryBackend()

  private static let discovery: JSONObject = [
    "issuer": "https://id.contoso.com", "token_endpoint": "https://id.contoso.com/token",
    "device_authorization_endpoint": "https://id.contoso.com/device",
  ]
  private static let code: JSONObject = [
    "device_code": "dc", "user_code": "WXYZ", "verification_uri": "https://id.contoso.com/code",
    "interval": 0,
  ]

  private static func tokens(_ number: Int, scope: String = "suite.read") -> JSONObject {
    let claims: JSONObject = ["sub": "ada-1", "preferred_username": "ada@contoso.com"]
    let payload = Data(claims.serialized()).base64EncodedString().replacing("=", with: "")
    return [
      "access_token": .string("at-\(number)"), "refresh_token": .string("rt-\(number)"), "expires_in": 3600,
      "id_token": .string("e30.\(payload).x"), "token_type": "Bearer", "scope": .string(scope),
    ]
  }

  private func application(_ app: String = "mail") throws -> PublicClientApplication {
    var configuration = PublicClientConfiguration(
      clientID: "contoso-suite", authority: try Authority("https://id.contoso.com"))
    configuration.clientCapabilities = ["cp1"]
    let entitlements = try AppEntitlements(
      app: "com.contoso.\(app)", publisher: "com.contoso", groups: ["com.contoso.shared"])
    return PublicClientApplication(configuration, for: entitlements, backend: backend, http: http)
  }

  /// Signs in with the given responses of the token endpoint.
  private func signIn(_ responses: [(Int, JSONObject)], claims: String? = nil) async throws -> TokenResult {
    await http.respond([(200, Self.discovery), (200, Self.code)] + responses)
    return try await application().acquireToken(scopes: ["suite.read"], claims: claims) { code in
      #expect(!"\(code)".contains("dc"))
      #expect(code.message == "Open https://id.contoso.com/code and enter the code WXYZ.")
    }
  }

  @Test("After a sign-in by device code another app gets the token offline, and sign-out is each app's own")
  func sharing() async throws {
    let result = try await signIn([(400, ["error": "authorization_pending"]), (200, Self.tokens(1))])
    #expect(result.accessToken == "at-1" && result.source == .signIn)
    let calendar = try application("calendar")
    let account = try #require(try await calendar.account(username: "ada@contoso.com"))
    #expect(try await calendar.account(identifier: account.identifier) == account)
    let silent = try await calendar.acquireTokenSilent(scopes: ["suite.read"], account: account)
    #expect(silent.accessToken == "at-1" && silent.source == .cache)
    #expect(await http.requests.map(\.url).last == "https://id.contoso.com/token")
    try await application().removeAccount(account)
    #expect(try await (application().allAccounts(), calendar.allAccounts()) == ([], [account]))
  }

  @Test("Requests name the client's capabilities and the app's claims")
  func capabilities() async throws {
    let result = try await signIn([(503, [:]), (200, Self.tokens(1))], claims: #"{"acrs":{}}"#)
    await http.respond([(200, Self.discovery), (200, Self.tokens(2))])
    let refreshed = try await application().acquireTokenSilent(
      scopes: ["suite.read"], account: result.account, forceRefresh: true)
    #expect(refreshed.accessToken == "at-2" && refreshed.refreshReason == .forced)
    let forms = await http.requests.map(\.form).filter { !$0.isEmpty }
    #expect(forms.count == 4 && forms.allSatisfy { $0.contains("cp1") })
    #expect(forms.filter { $0.contains("acrs") }.count == 3)
  }

  @Test("A silent call passes claims on, and a refused refresh token requires a sign-in")
  func refused() async throws {
    let account = try await signIn([(200, Self.tokens(1))]).account
    await http.respond([(200, Self.discovery), (400, ["error": "invalid_grant"])])
    await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      try await application().acquireTokenSilent(
        scopes: ["suite.read"], account: account, claims: #"{"access_token":{"acrs":null}}"#)
    }
    #expect(await http.requests.last?.form.contains("acrs") == true)
  }

  @Test("The errors of a sign-in are told apart by their codes")
  func errors() async throws {
    for (status, body, code) in [
      (200, Self.tokens(1, scope: "other"), .declinedScopes),
      (400, ["error": "access_denied"], .promptDismissed),
      (400, ["error": "authorization_declined"], .promptDismissed),
      (400, ["error": "expired_token"], .interactionRequired),
    ] as [(Int, JSONObject, SecretStoreError.Code)] {
      await #expect(throws: SecretStoreError(code, "")) { try await signIn([(status, body)]) }
    }
  }

  @Test("A device code that controls the terminal or its direction is refused, and its times are bounded")
  func hostileCode() throws {
    for (member, shown) in [("user_code", "A\u{202E}B"), ("verification_uri", "https://x\u{1B}[2J")] {
      var response = Self.code
      response[member] = .string(shown)
      let bytes = response.serialized()
      #expect(throws: SecretStoreError(.invalidResponse, "")) { try DeviceCode(parsing: bytes) }
    }
    for (seconds, interval, lifetime) in [(Int.max, 60, 3600), (-5, 1, 0)] {
      var response = Self.code
      response["interval"] = .init(integerLiteral: seconds)
      response["expires_in"] = .init(integerLiteral: seconds)
      let code = try DeviceCode(parsing: response.serialized())
      #expect(code.interval == .seconds(interval) && code.expiresIn == .seconds(lifetime))
    }
  }

  @Test(
    "A discovery document of another issuer, or with an insecure endpoint, gets no request",
    arguments: [
      ("issuer", "https://evil.example"), ("token_endpoint", "http://id.contoso.com/token"),
      ("device_authorization_endpoint", "file:///etc/passwd"),
    ])
  func hostileDiscovery(member: String, value: String) async throws {
    var document = Self.discovery
    document[member] = .string(value)
    await http.respond([(200, document)])
    await #expect(throws: SecretStoreError(.invalidResponse, "")) {
      try await application().acquireToken(scopes: ["suite.read"]) { _ in }
    }
    #expect(await http.requests.count == 1)
  }
}
