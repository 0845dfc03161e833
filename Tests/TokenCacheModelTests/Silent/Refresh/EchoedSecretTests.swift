// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Server that echoes a secret of the request")
struct EchoedSecretTests {
  private let group = SharedGroup()

  @Test(
    "A scope that repeats the refresh token is in no error, no result and no stored scope",
    arguments: ["rt-secret-0123456789", "prefix-rt-secret-0123456789", "at-secret-9876543210", "other.scope"])
  func scope(_ scope: String) async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(
      TestUser.anna.response(changing: ["refresh_token": "rt-secret-0123456789"]))
    await group.endpoint.response(
      TestUser.anna.response(
        2, scope: "mail.read \(scope)", changing: ["access_token": "at-secret-9876543210"]))
    let error = await #expect(throws: SecretStoreError.self) {
      try await mail.acquireTokenSilent(
        scopes: ["mail.read", "files.read"], account: account, forceRefresh: true)
    }
    let failure = try #require(error)
    #expect(failure.code == .declinedScopes)
    var dumped = ""
    dump(failure, to: &dumped)
    for text in ["\(failure)", String(reflecting: failure), dumped, "\(failure.underlying as Any)"] {
      #expect(!text.contains(scope))
    }
    #expect("\(failure.underlying as Any)".contains("mail.read"))
    let stored = try #require(try await group.document()).credentials.filter { $0.kind == .accessToken }
    if scope != "other.scope" {
      #expect(stored.allSatisfy { !$0.scopes.target.contains(scope) && !$0.key.contains(scope) })
    }
  }
}
