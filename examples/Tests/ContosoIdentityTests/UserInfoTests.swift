// SPDX-License-Identifier: MIT

import SecretStoreCache
import Testing

@testable import ContosoIdentity

@Suite("Responses to userinfo")
struct UserInfoTests {
  @Test("The claims are read")
  func reads() throws {
    let info = try UserInfo(
      parsing: Array(#"{"sub":"ada","name":"Ada Lovelace","email":"ada@contoso.com"}"#.utf8), subject: "ada")
    #expect(info.name == "Ada Lovelace")
    #expect(info.email == "ada@contoso.com")
  }

  @Test("Claims beside the identifier may be missing")
  func few() throws {
    #expect(try UserInfo(parsing: Array(#"{"sub":"ada"}"#.utf8), subject: "ada").name == nil)
  }

  @Test(
    "A response that is malformed, or about another user, is refused",
    arguments: [
      "", "null", "[]", "{}", #"{"sub":1}"#, #"{"sub":"grace"}"#, #"{"sub":"ADA"}"#,
      #"{"sub":"ada","name":["Ada"]}"#, "<html>", "eyJhbGciOiJub25lIn0.e30.",
    ])
  func refuses(body: String) {
    #expect(throws: SecretStoreError(.serverError, "")) {
      try UserInfo(parsing: Array(body.utf8), subject: "ada")
    }
  }
}
