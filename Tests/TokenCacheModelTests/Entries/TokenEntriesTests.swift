// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing
import TokenCacheContract

@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

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

  private let anna = TestUser.anna

  @Test(
    "At Azure AD a response without client_info throws missingClientInfo, but for a refresh",
    arguments: [
      SharedGroup.azure, "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_signin",
      "https://contoso.ciamlogin.com/contoso",
    ])
  func withoutClientInfo(authority: String) async throws {
    let members = anna.response(changing: ["client_info": .null])
    let known = try await SharedGroup().app("mail").signIn(anna.response())
    #expect(throws: SecretStoreError(.missingClientInfo, "")) {
      try entries(members, authority: authority, known: nil)
    }
    #expect(try entries(members, authority: authority, known: known).homeAccountID == known.identifier)
  }

  @Test(
    "Elsewhere the ID token's sub identifies the account, whatever client_info holds",
    arguments: ["https://id.contoso.com/realms/staff", "https://adfs.contoso.com/adfs"])
  func subject(authority: String) throws {
    let members = anna.openIDResponse().changed(by: ["client_info": .string(TestUser.boris.clientInfo)])
    #expect(try entries(members, authority: authority).homeAccountID == anna.username)
  }

  @Test(
    "Elsewhere a sign-in without an ID token, or with one without sub, throws invalidResponse",
    arguments: [.null, .string(JSONValue.object(["oid": "o"]).idToken)] as [JSONValue])
  func withoutSubject(idToken: JSONValue) throws {
    let members = anna.openIDResponse().changed(by: ["id_token": idToken])
    #expect(throws: SecretStoreError(.invalidResponse, "")) {
      try entries(members, authority: "https://id.contoso.com")
    }
  }

  @Test("Elsewhere a refresh response without an ID token belongs to the known account")
  func refreshWithoutIDToken() async throws {
    let authority = "https://id.contoso.com"
    let known = try await SharedGroup().app("mail", authority: authority).signIn(anna.openIDResponse())
    let members = anna.openIDResponse().changed(by: ["id_token": .null])
    #expect(try entries(members, authority: authority, known: known).homeAccountID == anna.username)
  }

  @Test(
    "The tenant is the ID token's tid, else the authority's, else the home tenant",
    arguments: [
      (SharedGroup.azure, true, "f645ad92-e38d-4d1a-b510-d1b09a74a8ca"),
      ("https://login.microsoftonline.com/contoso.com", true, "f645ad92-e38d-4d1a-b510-d1b09a74a8ca"),
      ("https://login.microsoftonline.com/contoso.com", false, "contoso.com"),
      (SharedGroup.azure, false, "f645ad92-e38d-4d1a-b510-d1b09a74a8ca"),
    ])
  func realm(authority: String, hasIDToken: Bool, expected: String) throws {
    let members = hasIDToken ? anna.response() : anna.response(changing: ["id_token": .null])
    let entries = try entries(members, authority: authority)
    #expect(entries.accessToken?.realm == expected)
    #expect(entries.account.realm == expected)
    #expect(entries.refreshToken?.realm == nil)
  }

  @Test("The requested scopes are used if the response has none")
  func scopes() throws {
    let silent = try entries(
      anna.response(changing: ["scope": .null]), requested: ["Mail.Read", "files.read"])
    #expect(silent.accessToken?.scopes == ["mail.read", "files.read"])
    let said = try entries(anna.response(scope: "mail.read"), requested: ["mail.read", "files.read"])
    #expect(said.accessToken?.scopes == ["mail.read"])
  }

  @Test("Lifetimes become times relative to now")
  func times() throws {
    let token = try #require(
      try entries(anna.response(changing: ["expires_in": 60, "ext_expires_in": 120, "refresh_in": 30]))
        .accessToken)
    #expect(token.cachedAt == TestClock.start)
    #expect(token.expiresOn == TestClock.start + 60)
    #expect(token.extendedExpiresOn == TestClock.start + 120)
    #expect(token.refreshOn == TestClock.start + 30)
  }

  @Test("A token with a scheme other than Bearer keeps its scheme", arguments: ["pop", "ssh-cert", "DPoP"])
  func scheme(_ type: String) throws {
    let token = try #require(try entries(anna.response(changing: ["token_type": .string(type)])).accessToken)
    #expect(token.kind == .accessTokenWithAuthScheme)
    #expect(token.tokenType == type)
    #expect(token.key.hasSuffix("-\(type.lowercased())"))
  }

  @Test("Bearer is not written, in any case", arguments: ["Bearer", "bearer", "BEARER"])
  func bearer(_ type: String) throws {
    let token = try #require(try entries(anna.response(changing: ["token_type": .string(type)])).accessToken)
    #expect(token.kind == .accessToken)
    #expect(token.fields["token_type"] == nil)
  }

  @Test("An entry missing from the response is not created")
  func missing() throws {
    let entries = try entries(anna.response(changing: ["refresh_token": .null, "id_token": .null]))
    #expect(entries.refreshToken == nil)
    #expect(entries.idToken == nil)
    #expect(entries.account.username == "")
    #expect(entries.account.localAccountID == anna.uid)
  }
}
