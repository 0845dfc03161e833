// SPDX-License-Identifier: MIT

import KeychainGroupModel

@testable import ADALCache
@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

/// The common part of the ADAL tests.
extension SharedGroup {
  static let graph = "https://graph.windows.net"

  /// The cache of an app that uses ADAL.
  func adal(
    _ name: String, _ generation: ADALGeneration = .bothFormats, client: String = suite,
    authority: String = azure, isOnline: Bool = true, through backend: (any TokenCacheBackend)? = nil,
    configuring: (inout TokenCacheOptions) -> Void = { _ in }
  ) throws -> ADALTokenCache {
    var options = options
    configuring(&options)
    return ADALTokenCache(
      backend: backend ?? self.backend, app: try Self.id(name), clientID: client,
      authority: try Authority(authority), generation: generation, endpoint: isOnline ? endpoint : nil,
      options: options)
  }

  /// ADAL's items in the group.
  func legacyItems() async throws -> [ADALToken] {
    try await ADALStore(backend: backend).items().map(\.token)
  }

  func legacyItems(_ kind: ADALTokenKind) async throws -> [ADALToken] {
    try await legacyItems().filter { $0.kind == kind }
  }

  /// Stores an item as an old app left it.
  func store(_ token: ADALToken, for app: String = "old") async throws {
    try await ADALStore(backend: backend).save([token], for: try Self.id(app))
  }
}

extension TestUser {
  /// A response of version 1 of Azure AD's token endpoint.
  func adalResponse(
    _ number: Int = 1, resource: String = SharedGroup.graph, family: String? = nil,
    hasClientInfo: Bool = true, changing changes: JSONObject = [:]
  ) -> JSONObject {
    let claims: JSONObject = [
      "sub": .string("sub of \(uid)"), "oid": .string(uid), "tid": .string(utid), "upn": .string(username),
      "unique_name": .string(username), "given_name": "A", "family_name": "Person", "ver": "1.0",
    ]
    return response(
      number, scope: "user_impersonation", family: family,
      changing: [
        "resource": .string(resource), "id_token": .string(JSONValue.object(claims).idToken),
        "client_info": hasClientInfo ? .string(clientInfo) : .null,
      ]
    ).changed(by: changes)
  }

  /// A refresh token as ADAL stores it.
  func legacyRefreshToken(
    _ secret: String = "legacy-rt", client: String = SharedGroup.suite,
    authority: String = "https://login.windows.net/common", knowsHome: Bool = false
  ) -> ADALToken {
    var token = ADALToken(authority: authority, resource: nil, clientID: client)
    token.refreshToken = secret
    token.userID = username
    if knowsHome { token.homeAccountID = identifier }
    return token
  }
}

extension ADALTokenCache {
  /// Signs a user in with a response of the token endpoint.
  @discardableResult
  func signIn(_ response: JSONObject, resource: String = SharedGroup.graph) async throws -> ADALResult {
    try await save(TokenResponse(members: response), resource: resource)
  }
}
