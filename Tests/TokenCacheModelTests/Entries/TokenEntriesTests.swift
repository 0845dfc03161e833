// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing

@testable import TokenCacheModel

@Suite("Token entries")
struct TokenEntriesTests {
  private func entries(
    _ members: JSONObject, authority: String = SharedGroup.azure, requested: Scopes = ["mail.read"],
    known: Account? = nil
  ) throws -> TokenEntries {
    try TokenEntries(
      TokenResponse(members: members), clientID: SharedGroup.suite, authority: Authority(authority),
      requested: requested, known: known, now: TestClock.start)
  }

  private let anna = Person.anna

  @Test(
    "At Azure AD an answer without client_info is corruptItem, also to a refresh",
    arguments: [
      SharedGroup.azure, "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_signin",
      "https://contoso.ciamlogin.com/contoso",
    ]
  )
  func withoutClientInfo(authority: String) async throws {
    let members = anna.answer(changing: ["client_info": .null])
    let known = try await SharedGroup().app("mail").signIn(anna.answer())
    for known in [nil, known] {
      #expect(throws: SecretStoreError(.corruptItem, "")) {
        try entries(members, authority: authority, known: known)
      }
    }
  }

  @Test(
    "Elsewhere the id token's sub identifies the account, whatever client_info says",
    arguments: ["https://id.contoso.com/realms/staff", "https://adfs.contoso.com/adfs"]
  )
  func subject(authority: String) throws {
    let members = anna.openIDAnswer().changed(by: ["client_info": .string(Person.boris.clientInfo)])
    #expect(try entries(members, authority: authority).homeAccountID == anna.username)
  }

  @Test(
    "Elsewhere a sign-in without an id token, or with one without sub, is corruptItem",
    arguments: [.null, .string(JSONValue.object(["oid": "o"]).idToken)] as [JSONValue]
  )
  func withoutSubject(idToken: JSONValue) throws {
    let members = anna.openIDAnswer().changed(by: ["id_token": idToken])
    #expect(throws: SecretStoreError(.corruptItem, "")) {
      try entries(members, authority: "https://id.contoso.com")
    }
  }

  @Test("Elsewhere a refresh's answer without an id token is the known account's")
  func refreshWithoutIDToken() async throws {
    let authority = "https://id.contoso.com"
    let known = try await SharedGroup().app("mail", authority: authority).signIn(anna.openIDAnswer())
    let members = anna.openIDAnswer().changed(by: ["id_token": .null])
    #expect(try entries(members, authority: authority, known: known).homeAccountID == anna.username)
  }

  @Test(
    "The tenant is the id token's tid, else the authority's, else the home tenant",
    arguments: [
      (SharedGroup.azure, true, "f645ad92-e38d-4d1a-b510-d1b09a74a8ca"),
      ("https://login.microsoftonline.com/contoso.com", true, "f645ad92-e38d-4d1a-b510-d1b09a74a8ca"),
      ("https://login.microsoftonline.com/contoso.com", false, "contoso.com"),
      (SharedGroup.azure, false, "f645ad92-e38d-4d1a-b510-d1b09a74a8ca"),
    ]
  )
  func realm(authority: String, hasIDToken: Bool, expected: String) throws {
    let members = hasIDToken ? anna.answer() : anna.answer(changing: ["id_token": .null])
    let entries = try entries(members, authority: authority)
    #expect(entries.accessToken?.realm == expected)
    #expect(entries.account.realm == expected)
    #expect(entries.refreshToken?.realm == nil)
  }

  @Test("The scopes that were asked for stand for the granted ones when the answer has none")
  func scopes() throws {
    let silent = try entries(anna.answer(changing: ["scope": .null]), requested: ["Mail.Read", "files.read"])
    #expect(silent.accessToken?.scopes == ["mail.read", "files.read"])
    let said = try entries(anna.answer(scope: "mail.read"), requested: ["mail.read", "files.read"])
    #expect(said.accessToken?.scopes == ["mail.read"])
  }

  @Test("Lifetimes become times relative to now")
  func times() throws {
    let token = try #require(
      try entries(anna.answer(changing: ["expires_in": 60, "ext_expires_in": 120, "refresh_in": 30]))
        .accessToken)
    #expect(token.cachedAt == TestClock.start)
    #expect(token.expiresOn == TestClock.start + 60)
    #expect(token.extendedExpiresOn == TestClock.start + 120)
    #expect(token.refreshOn == TestClock.start + 30)
  }

  @Test("A token of another scheme than Bearer is kept as one", arguments: ["pop", "ssh-cert", "DPoP"])
  func scheme(_ type: String) throws {
    let token = try #require(try entries(anna.answer(changing: ["token_type": .string(type)])).accessToken)
    #expect(token.kind == .accessTokenWithAuthScheme)
    #expect(token.tokenType == type)
    #expect(token.key.hasSuffix("-\(type.lowercased())"))
  }

  @Test("Bearer is not written, in whatever case", arguments: ["Bearer", "bearer", "BEARER"])
  func bearer(_ type: String) throws {
    let token = try #require(try entries(anna.answer(changing: ["token_type": .string(type)])).accessToken)
    #expect(token.kind == .accessToken)
    #expect(token.fields["token_type"] == nil)
  }

  @Test("What the answer lacks has no entry")
  func missing() throws {
    let entries = try entries(anna.answer(changing: ["refresh_token": .null, "id_token": .null]))
    #expect(entries.refreshToken == nil)
    #expect(entries.idToken == nil)
    #expect(entries.account.username == "")
    #expect(entries.account.localAccountID == anna.uid)
  }
}
