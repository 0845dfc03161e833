// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache
import Testing

@testable import ContosoIdentity

@Suite("Discovery documents")
struct ProviderTests {
  @Test("The endpoints are read with their queries")
  func reads() throws {
    let provider = try provider(issuer: "https://id.contoso.com", token: "https://id.contoso.com/t?x=1")
    #expect(provider.tokenEndpoint.absoluteString == "https://id.contoso.com/t?x=1")
  }

  @Test(
    "A document of another issuer, or with an insecure endpoint, is refused",
    arguments: [
      ("https://id.contoso.com/", "https://id.contoso.com/t"),
      ("https://ID.contoso.com", "https://id.contoso.com/t"),
      ("https://id.contoso.com", "http://id.contoso.com/t"), ("https://id.contoso.com", "file:///t"),
      ("https://id.contoso.com", ""),
    ])
  func refuses(issuer: String, token: String) {
    #expect(throws: SecretStoreError(.serverError, "")) { try provider(issuer: issuer, token: token) }
  }

  @Test("A userinfo endpoint may be missing, and is refused when it is insecure")
  func userInfo() throws {
    #expect(try provider(userInfo: nil).userInfoEndpoint == nil)
    #expect(try provider(userInfo: "https://id.contoso.com/u").userInfoEndpoint != nil)
    #expect(throws: SecretStoreError(.serverError, "")) { try provider(userInfo: "http://id.contoso.com/u") }
  }

  private func provider(
    issuer: String = "https://id.contoso.com", token: String = "https://id.contoso.com/t",
    userInfo: String? = nil
  ) throws -> Provider {
    var document: JSONObject = [
      "issuer": .string(issuer), "authorization_endpoint": "https://id.contoso.com/a",
      "token_endpoint": .string(token),
    ]
    if let userInfo { document["userinfo_endpoint"] = .string(userInfo) }
    return try Provider(document: JSONValue.object(document).serialized(), expected: "https://id.contoso.com")
  }
}
