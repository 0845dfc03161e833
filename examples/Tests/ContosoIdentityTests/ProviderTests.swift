// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache
import Testing

@testable import ContosoIdentity

@Suite("Discovery documents")
struct ProviderTests {
  @Test("the endpoints are read, with their queries")
  func reads() throws {
    let provider = try provider(issuer: "https://id.contoso.com", token: "https://id.contoso.com/t?x=1")
    #expect(provider.tokenEndpoint.absoluteString == "https://id.contoso.com/t?x=1")
  }

  @Test(
    "another issuer's document, and one with an endpoint that is not secure, is refused",
    arguments: [
      ("https://id.contoso.com/", "https://id.contoso.com/t"),
      ("https://ID.contoso.com", "https://id.contoso.com/t"),
      ("https://id.contoso.com", "http://id.contoso.com/t"), ("https://id.contoso.com", "file:///t"),
      ("https://id.contoso.com", ""),
    ])
  func refuses(issuer: String, token: String) {
    #expect(throws: SecretStoreError(.serverError, "")) { try provider(issuer: issuer, token: token) }
  }

  private func provider(issuer: String, token: String) throws -> Provider {
    let document: JSONObject = [
      "issuer": .string(issuer), "authorization_endpoint": "https://id.contoso.com/a",
      "token_endpoint": .string(token),
    ]
    return try Provider(document: JSONValue.object(document).serialized(), asked: "https://id.contoso.com")
  }
}
