// SPDX-License-Identifier: MIT

import Testing

@testable import KeychainItems
@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

extension SharedGroup {
  /// The group as an app's keychain; `nil` means no app, as in the tool.
  func view(_ app: String? = "mail", through backend: (any TokenCacheBackend)? = nil) throws -> KeychainView {
    KeychainView(
      backend: backend ?? self.backend, app: try app.map { try Self.id($0) },
      environment: "login.microsoftonline.com", clock: clock)
  }

  /// The number of writes of an account's records, for all clients together.
  func revision(of key: RecordKey = SharedGroup.key()) async throws -> Int {
    try await backend.record(for: key)?.document().metadata.revision ?? 0
  }
}

/// Anna's entries for the suite's client, as MSAL for iOS and macOS saves them.
enum KeychainViewSample {
  static let host = "login.windows.net"

  static func credential(
    _ kind: CredentialKind, _ secret: String = "secret", of person: TestUser = .anna,
    _ changes: JSONObject = [:]
  ) throws -> CredentialEntry {
    var members: JSONObject = [
      "home_account_id": .string(person.identifier), "environment": .string(host),
      "client_id": .string(SharedGroup.suite),
    ]
    if kind.section != .refreshToken { members["realm"] = .string(person.utid) }
    if kind.isAccessToken {
      members["target"] = "Mail.Read openid"
      members["cached_at"] = "1699999000"
      members["expires_on"] = "1700003600"
    }
    if kind == .idToken { members["secret"] = .string(person.idToken) }
    let fields = EntryBuilder.fields(kind, secret: secret, changing: members.changed(by: changes))
    return try CredentialEntry(fields: fields)
  }

  static func account(_ person: TestUser = .anna, _ changes: JSONObject = [:]) throws -> AccountEntry {
    let members: JSONObject = [
      "home_account_id": .string(person.identifier), "environment": .string(host),
      "realm": .string(person.utid), "authority_type": "MSSTS", "username": .string(person.username),
      "local_account_id": .string(person.uid), "name": "A Person",
    ]
    return try AccountEntry(fields: members.changed(by: changes))
  }

  static func metadata(_ changes: JSONObject = [:]) throws -> AppMetadataEntry {
    let members: JSONObject = [
      "client_id": .string(SharedGroup.suite), "environment": .string(host), "family_id": "",
    ]
    return try AppMetadataEntry(fields: members.changed(by: changes))
  }

  static let common = "https://login.microsoftonline.com/common"
  static let tenant = "https://login.microsoftonline.com/contoso"

  /// A client's account metadata, with the authority that each user was sent to.
  static func accountMetadata(
    _ client: String = SharedGroup.suite, _ people: [TestUser] = [.anna]
  ) throws -> KeychainAccountMetadata {
    var metadata = KeychainAccountMetadata(clientID: client)
    for person in people {
      var state = KeychainAccountState()
      try state.setAuthorityURL(tenant, for: common)
      metadata[person.identifier] = state
    }
    return metadata
  }
}

extension KeychainView {
  /// Saves every entry that a library saves at a sign-in.
  func saveSignIn(of person: TestUser = .anna, accountFirst: Bool = false) async throws {
    if accountFirst { try await save(try KeychainViewSample.account(person)) }
    try await save(try KeychainViewSample.credential(.accessToken, "at-1", of: person))
    try await save(
      try KeychainViewSample.credential(.idToken, "", of: person, ["secret": .string(person.idToken)]))
    try await save(try KeychainViewSample.credential(.refreshToken, "rt-1", of: person))
    if !accountFirst { try await save(try KeychainViewSample.account(person)) }
    try await save(try KeychainViewSample.metadata())
  }
}
