// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheContract
import TokenCacheModel

@Suite("Client capabilities")
struct ClientCapabilitiesTests {
  private static let cp1 = #"{"access_token":{"xms_cc":{"values":["cp1"]}}}"#
  private static let challenge = #"{"access_token":{"nbf":{"essential":true,"value":"1700000000"}}}"#

  private let group = SharedGroup()
  private let anna = TestUser.anna

  private func app() throws -> TokenCache { try group.app("mail") { $0.clientCapabilities = ["cp1"] } }

  private func object(_ text: String?) throws -> JSONObject {
    let text = try #require(text)
    return try #require(try JSONValue(parsing: Array(text.utf8)).objectValue)
  }

  @Test("The cache is used, and a refresh names them")
  func cacheIsUsed() async throws {
    let account = try await app().signIn(anna.response(1))
    #expect(try await app().acquireTokenSilent(scopes: ["mail.read"], account: account).source == .cache)
    group.clock.advance(by: 4000)
    await group.endpoint.response(anna.response(2))
    #expect(try await app().acquireTokenSilent(scopes: ["mail.read"], account: account).source == .refresh)
    #expect(try await app().acquireTokenSilent(scopes: ["mail.read"], account: account).source == .cache)
    let requests = await group.endpoint.requests
    #expect(requests.count == 1)
    #expect(try object(requests.first?.claims) == object(Self.cp1))
    #expect(requests.first?.form.last { $0.name == "claims" }?.value == requests.first?.claims)
  }

  @Test("A token for claims is found by the claims alone")
  func claims() async throws {
    let account = try await app().signIn(anna.response(1))
    await group.endpoint.response(anna.response(2))
    var parameters = SilentParameters(scopes: ["mail.read"], account: account)
    parameters.claims = Self.challenge
    _ = try await app().acquireTokenSilent(parameters)
    let sent = try object(await group.endpoint.requests.first?.claims)["access_token"]?.objectValue
    #expect(sent?.keys == ["nbf", "xms_cc"])
    var query = CredentialQuery([.accessToken])
    query.requestedClaims = .equal(Self.challenge)
    #expect(try await app().credentials(of: account, matching: query).map(\.secret) == ["at-2"])
  }

  @Test(
    "They are added to the claims of a request, and nothing of these is lost",
    arguments: [
      (nil, cp1), ("{}", cp1), (#"{"access_token":null}"#, cp1), (cp1, cp1),
      (#"{"access_token":{"xms_cc":null}}"#, cp1),
      (#"{"id_token":{"a":1}}"#, #"{"id_token":{"a":1},"access_token":{"xms_cc":{"values":["cp1"]}}}"#),
      (
        #"{"access_token":{"nbf":{"essential":true}}}"#,
        #"{"access_token":{"nbf":{"essential":true},"xms_cc":{"values":["cp1"]}}}"#
      ),
      (
        #"{"access_token":{"xms_cc":{"essential":true,"values":["cp2"]}}}"#,
        #"{"access_token":{"xms_cc":{"essential":true,"values":["cp2","cp1"]}}}"#
      ),
    ] as [(String?, String)])
  func merged(claims: String?, expected: String) throws {
    #expect(try object(app().options.claims(adding: claims)) == object(expected))
  }

  @Test("Without capabilities the claims stay as they are", arguments: [nil, #"{ "a" : 1 }"#] as [String?])
  func none(claims: String?) throws {
    #expect(try TokenCacheOptions().claims(adding: claims) == claims)
  }

  @Test(
    "Claims that they can't be added to are invalidArgument, and nothing is sent",
    arguments: ["", "[]", #"{"access_token":1}"#, #"{"access_token":{"xms_cc":["cp1"]}}"#])
  func malformed(claims: String) async throws {
    let account = try await app().signIn(anna.response(1))
    var parameters = SilentParameters(scopes: ["mail.read"], account: account)
    parameters.claims = claims
    await #expect(throws: SecretStoreError(.invalidArgument, "")) {
      try await app().acquireTokenSilent(parameters)
    }
    #expect(await group.endpoint.requests.isEmpty)
  }
}
