// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheContract
import TokenCacheModel

@Suite("Extra parameters of a refresh")
struct ExtraParametersTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna

  private func parameters(
    _ extra: [(name: String, value: String)], scheme: AccessTokenScheme = .bearer
  ) async throws -> SilentParameters {
    let account = try await group.app("mail").signIn(anna.response(1))
    group.clock.advance(by: 4000)
    var parameters = SilentParameters(scopes: ["mail.read"], account: account)
    parameters.extraParameters = extra
    parameters.scheme = scheme
    return parameters
  }

  @Test("They follow the request's own, encoded, in their order; repeated names stay")
  func sent() async throws {
    let extra = [("z", "1 2"), ("a", "é"), ("z", "3")].map { (name: $0.0, value: $0.1) }
    let parameters = try await parameters(extra)
    await group.endpoint.response(anna.response(2))
    _ = try await group.app("mail").acquireTokenSilent(parameters)
    let body = try #require(await group.endpoint.requests.first).formBody
    #expect(body.hasSuffix("&client_info=1&z=1%202&a=%C3%A9&z=3"))
  }

  @Test("The cache is used all the same")
  func cached() async throws {
    let parameters = try await parameters([(name: "dc", value: "x")])
    await group.endpoint.response(anna.response(2))
    _ = try await group.app("mail").acquireTokenSilent(parameters)
    #expect(try await group.app("mail").acquireTokenSilent(parameters).source == .cache)
  }

  @Test(
    "One that names a parameter of the request, or nothing, is invalidArgument, and nothing is sent",
    arguments: [
      "grant_type", "client_id", "refresh_token", "scope", "resource", "claims", "client_info", "Scope",
      "REFRESH_TOKEN", "req_cnf", "", " ",
    ])
  func refused(name: String) async throws {
    let scheme = AccessTokenScheme(
      tokenType: "pop", keyID: "k", requestParameters: [(name: "req_cnf", value: "c")])
    let parameters = try await parameters(
      [(name: "dc", value: "x"), (name: name, value: "x")], scheme: scheme)
    await #expect(throws: SecretStoreError(.invalidArgument, "")) {
      try await group.app("mail").acquireTokenSilent(parameters)
    }
    #expect(await group.endpoint.requests.isEmpty)
  }

  @Test("A refused request with other parameters is another request")
  func throttled() async throws {
    var parameters = try await parameters([(name: "dc", value: "x")])
    let mail = try group.app("mail")
    for (value, requests) in [("x", 1), ("x", 1), ("y", 2)] {
      parameters.extraParameters = [(name: "dc", value: value)]
      await group.endpoint.response(["error": "interaction_required"], status: 400)
      await #expect(throws: SecretStoreError(.interactionRequired, "")) {
        try await mail.acquireTokenSilent(parameters)
      }
      #expect(await group.endpoint.requests.count == requests)
    }
  }
}
