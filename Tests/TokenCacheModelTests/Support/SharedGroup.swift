// SPDX-License-Identifier: MIT

import ADALCache
import KeychainGroupModel
import TokenCacheContract
import TokenCacheModel

/// An access group and its apps, with one back end, one clock and one token endpoint.
struct SharedGroup {
  static let azure = "https://login.microsoftonline.com/common"
  static let suite = "b6c69a37-df96-4db0-9088-2ab96e1d8215"
  static let office = "d3adb33f-c0de-ed0c-c0de-deadb33fc0d3"

  var backend = InMemoryBackend()
  let clock = TestClock()
  let endpoint = ScriptedEndpoint()

  /// The app identifier for a short name.
  static func id(_ name: String) throws -> AppIdentifier { try AppIdentifier("com.contoso.\(name)") }

  /// The cache of an app.
  func app(
    _ name: String, client: String = suite, authority: String = azure,
    through backend: (any TokenCacheBackend)? = nil, isOnline: Bool = true,
    _ change: (inout TokenCacheOptions) -> Void = { _ in }
  ) throws -> TokenCache {
    var options = options
    change(&options)
    return TokenCache(
      backend: backend ?? self.backend, app: try Self.id(name), clientID: client,
      authority: try Authority(authority), endpoint: isOnline ? endpoint : nil, options: options)
  }

  /// The group's clock, sharing with ADAL, and no wait before a retry.
  var options: TokenCacheOptions {
    var options = TokenCacheOptions()
    options.clock = clock
    options.sharesWithADAL = true
    options.retryDelay = .zero
    return options
  }

  /// Everything that is stored, to check that nothing changed but the times of sign-outs.
  func stored() async throws -> [RecordKey: [UInt8]] {
    var all: [RecordKey: [UInt8]] = [:]
    for kind in RecordKind.allCases {
      for record in try await backend.records(matching: .all(kind)) {
        var document = try record.document()
        if document.metadata.signOutNumber > 0 { document.metadata.signOutNumber = 1 }
        all[record.key] = document.serialized()
      }
    }
    return all
  }

  /// The stored document of an account for a client.
  func document(of person: TestUser = .anna, client: String = suite) async throws -> CacheDocument? {
    try await backend.record(for: Self.key(of: person, client: client))?.document()
  }

  /// The stored document of an account for the family `1`.
  func familyDocument(of person: TestUser = .anna) async throws -> CacheDocument? {
    try await backend.record(for: Self.familyKey(of: person))?.document()
  }

  static func key(of person: TestUser = .anna, client: String = suite) -> RecordKey {
    .credentials(
      homeAccountID: person.identifier, environment: "login.microsoftonline.com", clientID: client)
  }

  static func familyKey(of person: TestUser = .anna) -> RecordKey {
    .family(homeAccountID: person.identifier, environment: "login.microsoftonline.com", familyID: "1")
  }
}

extension TokenCache {
  /// Signs a user in with a response of the token endpoint.
  @discardableResult
  func signIn(_ response: JSONObject, scopes: Scopes = ["mail.read"]) async throws -> Account {
    try await save(TokenResponse(members: response), scopes: scopes)
  }
}

/// A silent call that refreshes.
func refresh(
  _ cache: TokenCache, _ account: Account, _ scopes: Scopes = ["mail.read"]
) async throws -> TokenResult {
  try await cache.acquireTokenSilent(scopes: scopes, account: account, forceRefresh: true)
}

extension CacheDocument {
  /// The tokens of a kind.
  func secrets(_ kind: CredentialKind) -> [String] {
    credentials.filter { $0.kind == kind }.map(\.secret).sorted()
  }
}
