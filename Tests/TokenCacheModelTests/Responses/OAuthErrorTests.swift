// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheModel

@Suite("OAuth error")
struct OAuthErrorTests {
  @Test(
    "The codes are read from the body",
    arguments: [
      (#"{"error":"invalid_grant"}"#, "invalid_grant", nil, "HTTP status 400: invalid_grant"),
      (
        #"{"error":"invalid_grant","suberror":"bad_token"}"#, "invalid_grant", "bad_token",
        "HTTP status 400: invalid_grant, bad_token"
      ),
      (#"{"error":"a.b-c_D9"}"#, "a.b-c_D9", nil, "HTTP status 400: a.b-c_D9"),
      (#"{"suberror":"bad_token"}"#, "", "bad_token", "HTTP status 400: bad_token"),
      ("{}", "", nil, "HTTP status 400"),
      ("", "", nil, "HTTP status 400"),
      ("<html>", "", nil, "HTTP status 400"),
      ("[]", "", nil, "HTTP status 400"),
      (#"{"error":{"code":1}}"#, "", nil, "HTTP status 400"),
      (#"{"error":""}"#, "", nil, "HTTP status 400"),
      (#"{"error":"invalid grant"}"#, "unreadable_error", nil, "HTTP status 400: unreadable_error"),
      (#"{"error":"invalid_grant\n"}"#, "unreadable_error", nil, "HTTP status 400: unreadable_error"),
      (#"{"error":"invalid_gränt"}"#, "unreadable_error", nil, "HTTP status 400: unreadable_error"),
    ] as [(String, String, String?, String)])
  func codes(body: String, code: String, suberror: String?, description: String) {
    let error = OAuthError(status: 400, body: Array(body.utf8))
    #expect(error.status == 400)
    #expect(error.code == code)
    #expect(error.suberror == suberror)
    #expect(error.description == description)
  }

  @Test("A code of more than 64 characters is omitted")
  func long() {
    let longest = String(repeating: "a", count: 64)
    #expect(OAuthError(status: 400, body: Array(#"{"error":"\#(longest)"}"#.utf8)).code == longest)
    #expect(
      OAuthError(status: 400, body: Array(#"{"error":"\#(longest)a"}"#.utf8)).code == "unreadable_error")
  }

  @Test("error_description is not shown, since some servers repeat the request in it")
  func errorDescription() {
    let body = #"{"error":"invalid_grant","error_description":"refresh_token=hunter2 is not known"}"#
    let error = OAuthError(status: 400, body: Array(body.utf8))
    #expect(RedactionProbe.texts(of: error).allSatisfy { !$0.contains("hunter2") })
  }

  @Test(
    "A code that repeats the refresh token is omitted, and all others remain",
    arguments: [
      ("hunter2-hunter2-hunter2-hunter2", nil), ("bad_hunter2-hunter2-hunter2-hunter2_", nil),
      ("hunter2-hunter2-hunter2-", nil), ("invalid_grant", "invalid_grant"),
      ("interaction_required", "interaction_required"), ("hunter", "hunter"),
    ])
  func repetition(code: String, expected: String?) async throws {
    let group = SharedGroup()
    let token = "hunter2-hunter2-hunter2-hunter2"
    let mail = try group.app("mail")
    let account = try await mail.signIn(TestUser.anna.response(changing: ["refresh_token": .string(token)]))
    for _ in 1...2 {
      await group.endpoint.response(["error": .string(code), "suberror": .string(code)], status: 400)
    }
    for _ in 1...2 {  // the second time from the throttling record, where the error has a code
      let error = await #expect(throws: SecretStoreError.self) {
        try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account, forceRefresh: true)
      }
      let refusal = try #require(error?.underlying as? OAuthError)
      #expect(refusal.code == expected ?? "unreadable_error")
      #expect(refusal.suberror == expected)
      #expect(error?.code == .interactionRequired)
    }
  }

  @Test(
    "These codes require interaction",
    arguments: [
      ("invalid_grant", true), ("interaction_required", true), ("login_required", true),
      ("consent_required", true), ("invalid_client", false), ("invalid_request", false),
      ("invalid_scope", false), ("unauthorized_client", false), ("access_denied", false),
      ("unsupported_grant_type", false), ("slow_down", false), ("request_timeout", false),
      ("too_many_requests", false), ("invalid_resource", false),
      ("temporarily_unavailable", false), ("server_error", false), ("something_new", true),
    ])
  func interaction(code: String, expected: Bool) {
    for status in [400, 401, 403] {
      let error = OAuthError(status: status, body: Array(#"{"error":"\#(code)"}"#.utf8))
      #expect(error.asksForInteraction == expected)
    }
  }

  @Test(
    "A response without an OAuth error says nothing of the refresh token",
    arguments: [400, 401, 403, 404, 429, 500, 503],
    ["", "<html><h1>Blocked</h1></html>", #"{"error":{"code":"ServiceUnavailable"}}"#])
  func statusAlone(status: Int, body: String) {
    #expect(!OAuthError(status: status, body: Array(body.utf8)).asksForInteraction)
  }
}
