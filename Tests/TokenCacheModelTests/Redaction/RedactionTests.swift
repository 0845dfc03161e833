// SPDX-License-Identifier: MIT

import Foundation
import KeychainGroupModel
import Testing
import TokenCacheContract

@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Redaction")
struct RedactionTests {
  /// A text that every token and the user's name contain in these tests.
  static let marker = "hunter2"

  let person = TestUser(
    uid: TestUser.anna.uid, utid: TestUser.anna.utid, username: "\(marker)@contoso.com")

  var responseMembers: JSONObject {
    person.response(
      family: "1",
      changing: [
        "access_token": "at hunter2", "refresh_token": "rt hunter2",
        "id_token": .string(person.idToken.replacing("signature", with: "hunter2")),
      ])
  }

  func expectNoMarker<Subject>(
    _ subject: Subject, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    RedactionProbe.expectNone(of: [Self.marker, "eyJ"], in: subject, sourceLocation: sourceLocation)
  }

  @Test("The marker is found in unredacted values")
  func control() {
    let shown: [Any] = [
      [Self.marker], Array("a \(Self.marker)".utf8), Data("x\(Self.marker)".utf8).base64EncodedString(),
      NSError(domain: "", code: 1, userInfo: [NSLocalizedDescriptionKey: Self.marker]),
    ]
    for subject in shown {
      #expect(
        RedactionProbe.texts(of: subject).contains { RedactionProbe.shows($0, Self.marker) }, "\(subject)")
    }
    let secret = "a\"/ ö+\u{1}"  // eight bytes
    let json = String(decoding: JSONValue.string(secret).serialized(), as: UTF8.self)
    for text in [json, "a%22%2F%20%C3%B6%2B%01", "61222f20c3b62b01"] {
      #expect(RedactionProbe.shows(text, secret), "\(text)")
    }
    #expect(!RedactionProbe.shows("a b c", secret))
  }

  @Test("Responses and requests show no token")
  func tokenResponse() throws {
    let response = try TokenResponse(members: responseMembers)
    expectNoMarker(response)
    expectNoMarker(try #require(response.claims))
    expectNoMarker(try #require(response.clientInfo))
    expectNoMarker(TokenEndpointResponse(status: 200, body: responseMembers.bytes))
    expectNoMarker(
      TokenRequest(
        authority: try Authority(SharedGroup.azure), clientID: SharedGroup.suite, scopes: ["mail.read"],
        refreshToken: "rt hunter2"))
  }

  @Test("Entries, documents and records show no token and no name")
  func documents() throws {
    let entries = try TokenEntries(
      TokenResponse(members: responseMembers), clientID: SharedGroup.suite,
      authority: Authority(SharedGroup.azure),
      requested: [], known: nil, now: TestClock.start)
    expectNoMarker(entries)
    expectNoMarker(entries.account)
    expectNoMarker(entries.metadata)
    for entry in [entries.accessToken, entries.refreshToken, entries.idToken] {
      expectNoMarker(try #require(entry))
    }
    var document = CacheDocument()
    entries.apply(to: &document)
    document[member: "unknown"] = ["hunter2": "hunter2"]
    expectNoMarker(document)
    expectNoMarker(document.metadata)
    expectNoMarker(document.credentials)
    expectNoMarker(document.accounts)
    expectNoMarker(Record(key: SharedGroup.key(), document: document))
    expectNoMarker(Record(key: SharedGroup.key(), bytes: document.serialized()))
    expectNoMarker(RecordChange.write(document))
    expectNoMarker(Result<CacheDocument, SecretStoreError>.success(document))
  }

  @Test("Accounts, results, caches and back ends show no token and no name")
  func results() async throws {
    let group = SharedGroup()
    let mail = try group.app("mail")
    let account = try await mail.signIn(responseMembers)
    #expect(account.username.contains(Self.marker))
    expectNoMarker(account)
    let result = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(result.accessToken.contains(Self.marker))
    expectNoMarker(result)
    expectNoMarker(mail)
    expectNoMarker(group.backend)
    expectNoMarker(AccountDirectory(backend: group.backend))
    expectNoMarker(account.tenantProfiles)
    #expect(account.claims?.username?.contains(Self.marker) == true)
    let silent = SilentAcquisition(
      cache: mail, parameters: SilentParameters(scopes: ["mail.read"], account: account),
      authority: mail.authority,
      aliases: .shipped)
    expectNoMarker(silent)
    let token = RefreshTokenInUse(secret: "rt hunter2", owner: SharedGroup.key(), readAt: 0)
    expectNoMarker(token)
    expectNoMarker(RefreshTokenGrant(acquisition: silent, endpoint: group.endpoint))
    expectNoMarker(RefreshTokenGrant.Refusal(token: token, error: SilentAcquisition.interaction("")))
    expectNoMarker(try await mail.currentAccount())
    expectNoMarker(try await CacheTransfer(backend: group.backend).exportUnified())
  }

  @Test("An account ID that is an e-mail address is shown as its digest")
  func openIDAccount() async throws {
    let mail = try SharedGroup().app("mail", authority: "https://id.contoso.com")
    let account = try await mail.signIn(person.openIDResponse())
    #expect(account.identifier.contains(Self.marker))
    expectNoMarker(account)
    #expect(account.description.contains(RecordKey.storedAccount(account.identifier)))
  }

  @Test("No error of the cache shows a token or a name, whatever its underlying error")
  func errors() async throws {
    let refusals: [(Int, String)] = [
      (400, #"{"error":"invalid_grant","error_description":"hunter2"}"#), (500, "hunter2"),
      (200, #"{"access_token":["hunter2"],"id_token":"hunter2"}"#), (200, #"{"hunter2":"#),
      (
        200,
        String(decoding: TestUser.boris.response(changing: ["access_token": "hunter2"]).bytes, as: UTF8.self)
      ),
      (200, String(decoding: responseMembers.changed(by: ["scope": "openid"]).bytes, as: UTF8.self)),
    ]
    for (status, body) in refusals {
      let group = SharedGroup()
      let mail = try group.app("mail")
      let account = try await mail.signIn(responseMembers)
      await group.endpoint.response(body: body, status: status)
      let error = await #expect(throws: SecretStoreError.self) {
        try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account, forceRefresh: true)
      }
      expectNoMarker(try #require(error))
    }
  }

  @Test("Queries and parameters show no account")
  func descriptions() async throws {
    let group = SharedGroup()
    var query = CredentialQuery()
    query.homeAccountID = "anna@contoso.com"
    for text in RedactionProbe.texts(of: query) { #expect(!text.contains("anna@contoso.com")) }
    let cache = try group.app("mail", authority: "https://id.contoso.com")
    var parameters = SilentParameters(
      scopes: ["a"], account: try await cache.signIn(TestUser.anna.openIDResponse(1)))
    parameters.scheme = AccessTokenScheme(
      tokenType: "pop", keyID: "k", requestParameters: [("client_assertion", "SECRET")])
    for text in RedactionProbe.texts(of: parameters) {
      #expect(!text.contains("anna@contoso.com"))
      #expect(!text.contains("SECRET"))
    }
  }
}
