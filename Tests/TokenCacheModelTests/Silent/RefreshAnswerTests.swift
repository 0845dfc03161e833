// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheModel

@Suite("The answer to a refresh")
struct RefreshAnswerTests {
  private let group = SharedGroup()
  private let anna = Person.anna
  private struct NoNetwork: Error {}

  struct Refusal: Sendable, CustomTestStringConvertible {
    let status: Int
    let body: String
    let code: SecretStoreError.Code

    init(_ status: Int, _ body: String, _ code: SecretStoreError.Code) {
      self.status = status
      self.body = body
      self.code = code
    }

    var testDescription: String { "\(status) \(body.prefix(60))" }
  }

  /// Signs in, lets the access token expire and asks for another.
  private func refresh(scopes: Scopes = ["mail.read"]) async throws -> TokenResult {
    let mail = try group.app("mail")
    let account = try await mail.signIn(anna.answer(1))
    group.clock.advance(by: 4000)
    return try await mail.acquireTokenSilent(scopes: scopes, account: account)
  }

  private static let refusals = [
    Refusal(400, #"{"error":"invalid_grant"}"#, .interactionRequired),
    Refusal(400, #"{"error":"invalid_grant","suberror":"consent_required"}"#, .interactionRequired),
    Refusal(400, #"{"error":"interaction_required"}"#, .interactionRequired),
    Refusal(401, #"{"error":"login_required"}"#, .interactionRequired),
    Refusal(400, #"{"error":"consent_required"}"#, .interactionRequired),
    Refusal(401, #"{"error":"invalid_client"}"#, .serverError),
    Refusal(400, #"{"error":"invalid_scope"}"#, .serverError),
    Refusal(429, #"{"error":"too_many_requests"}"#, .serverError),
    Refusal(500, "", .serverError),
    Refusal(502, "<html>Bad gateway</html>", .serverError),
    Refusal(503, #"{"error":"temporarily_unavailable"}"#, .serverError),
    Refusal(302, "", .serverError),
    Refusal(0, "", .serverError),
  ]

  @Test("A refusal is a typed error with the OAuth error beneath; what was stored stays", arguments: refusals)
  func refused(_ refusal: Refusal) async throws {
    for _ in 0..<2 { await group.endpoint.answer(body: refusal.body, status: refusal.status) }
    let error = await #expect(throws: SecretStoreError.self) { try await refresh() }
    #expect(error?.code == refusal.code)
    let beneath = try #require(error?.underlying as? OAuthError)
    let expected = OAuthError(status: refusal.status, body: Array(refusal.body.utf8))
    #expect((beneath.status, beneath.code) == (expected.status, expected.code))
    #expect(beneath.suberror == expected.suberror)
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-1"])
    #expect(try await group.document()?.sharing.revision == 1)
    #expect(error.map { Redaction.texts(of: $0).allSatisfy { !$0.contains("rt-1") } } == true)
  }

  @Test(
    "An answer of status 200 that is no token response is serverError; what was stored stays",
    arguments: [
      "", "null", "<html></html>", #"{"error":"invalid_grant"}"#, #"{"access_token":5}"#,
      #"{"access_token":"hunter2","expires_in":-1}"#, #"{"access_token":"hunter2","id_token":"x"}"#,
      #"{"access_token":"hunter2","client_info":"x"}"#, #"{"refresh_token":"hunter2","client_info":"x"}"#,
    ]
  )
  func noTokenResponse(body: String) async throws {
    await group.endpoint.answer(body: body)
    let error = await #expect(throws: SecretStoreError.self) { try await refresh() }
    #expect(error?.code == .serverError)
    #expect((error?.underlying as? SecretStoreError)?.code == .corruptItem)
    #expect(error?.description.contains("hunter2") == false)
    #expect(try await group.document()?.sharing.revision == 1)
  }

  @Test("An answer that doesn't say whose it is, is an error at Azure AD, and nothing is stored")
  func nobodys() async throws {
    await group.endpoint.answer(anna.answer(2, changing: ["client_info": .null]))
    await #expect(throws: SecretStoreError(.corruptItem, "")) { try await refresh() }
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-1"])
  }

  @Test("No answer is networkError, with what the endpoint threw beneath")
  func noAnswer() async throws {
    await group.endpoint.fail(with: NoNetwork())
    let error = await #expect(throws: SecretStoreError(.networkError, "")) { try await refresh() }
    #expect(error?.underlying is NoNetwork)
    #expect(try await group.document()?.sharing.revision == 1)
  }

  @Test("A SecretStoreError that the endpoint throws is thrown as it is")
  func ownError() async throws {
    await group.endpoint.fail(with: SecretStoreError(.timedOut, "The server is slow."))
    let error = await #expect(throws: SecretStoreError(.timedOut, "")) { try await refresh() }
    #expect(error?.detail == "The server is slow.")
  }

  @Test("An answer for another account is accountMismatch, and nothing is stored", arguments: [nil, "1"])
  func otherAccount(family: String?) async throws {
    await group.endpoint.answer(Person.boris.answer(2, family: family))
    await #expect(throws: SecretStoreError(.accountMismatch, "")) { try await refresh() }
    #expect(try await group.stored().keys.map(\.self) == [SharedGroup.key()])
    #expect(try await group.document()?.sharing.revision == 1)
  }

  @Test("An answer for another account is told by sub outside Azure AD")
  func otherSubject() async throws {
    let mail = try group.app("mail", authority: "https://id.contoso.com")
    let account = try await mail.signIn(anna.openIDAnswer(1))
    group.clock.advance(by: 4000)
    await group.endpoint.answer(Person.boris.openIDAnswer(2))
    await #expect(throws: SecretStoreError(.accountMismatch, "")) {
      try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    #expect(try await group.stored().count == 1)
  }

  @Test("Fewer scopes than asked for are declinedScopes, named, and what was granted is in the cache")
  func fewerScopes() async throws {
    await group.endpoint.answer(anna.answer(2, scope: "mail.read openid"))
    let error = await #expect(throws: SecretStoreError(.declinedScopes, "")) {
      try await refresh(scopes: ["mail.read", "Files.Read", "offline_access"])
    }
    #expect(error?.detail.contains("Files.Read") == true)
    #expect(error?.detail.contains("offline_access") == false)
    let mail = try group.app("mail", isOnline: false)
    let account = try #require(try await mail.accounts().first)
    #expect(try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account).accessToken == "at-2")
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-2"])
  }

  @Test("More scopes than asked for are welcome")
  func moreScopes() async throws {
    await group.endpoint.answer(anna.answer(2, scope: "Mail.Read files.read"))
    #expect(try await refresh().scopes == ["mail.read", "files.read"])
  }

  @Test("A token that could not be saved is handed out, with the error beside it", arguments: [nil, "1"])
  func saveError(family: String?) async throws {
    let account = try await group.app("mail").signIn(anna.answer(1))
    group.clock.advance(by: 4000)
    await group.endpoint.answer(anna.answer(2, family: family))
    let error = SecretStoreError(.storageFailed, "The disk is full.")
    let mail = try group.app("mail", through: FailingBackend(inner: group.backend, writeError: error))
    let result = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(result.accessToken == "at-2")
    #expect(result.saveError == error)
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-1"])
  }

  @Test("Declined scopes whose answer could not be saved say so beneath")
  func declinedAndNotSaved() async throws {
    let account = try await group.app("mail").signIn(anna.answer(1))
    await group.endpoint.answer(anna.answer(2))
    let failure = SecretStoreError(.storageFailed, "The disk is full.")
    let mail = try group.app("mail", through: FailingBackend(inner: group.backend, writeError: failure))
    let error = await #expect(throws: SecretStoreError(.declinedScopes, "")) {
      try await mail.acquireTokenSilent(scopes: ["files.read"], account: account)
    }
    let beneath = error?.underlying as? DeclinedScopes
    #expect(beneath?.granted == ["mail.read", "openid", "profile"])
    #expect(beneath?.declined == ["files.read"])
    #expect(beneath?.saveError?.code == .storageFailed)
  }
}
