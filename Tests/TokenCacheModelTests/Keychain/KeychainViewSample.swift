// SPDX-License-Identifier: MIT

import Testing

@testable import TokenCacheModel

extension SharedGroup {
  /// The group as an app's keychain; `nil` for the person at the keyboard.
  func view(_ app: String? = "mail", through backend: (any TokenCacheBackend)? = nil) throws -> KeychainView {
    KeychainView(
      backend: backend ?? self.backend, app: try app.map { try Self.id($0) },
      environment: "login.microsoftonline.com", clock: clock)
  }

  /// How many times the records of an account were written, all clients' together.
  func revision(of key: RecordKey = SharedGroup.key()) async throws -> Int {
    try await backend.record(for: key)?.document().sharing.revision ?? 0
  }
}

/// Entries of Anna's for the suite's client, as MSAL for iOS and macOS saves them.
enum KeychainViewSample {
  static let host = "login.windows.net"

  static func credential(
    _ kind: CredentialKind, _ secret: String = "secret", of person: Person = .anna,
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
    let fields = Entry.fields(kind, secret: secret, changing: members.changed(by: changes))
    return try CredentialEntry(fields: fields)
  }

  static func account(_ person: Person = .anna, _ changes: JSONObject = [:]) throws -> AccountEntry {
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
}

extension KeychainView {
  /// Saves all that a library saves of a sign-in.
  func saveSignIn(of person: Person = .anna, accountFirst: Bool = false) async throws {
    if accountFirst { try await save(try KeychainViewSample.account(person)) }
    try await save(try KeychainViewSample.credential(.accessToken, "at-1", of: person))
    try await save(
      try KeychainViewSample.credential(.idToken, "", of: person, ["secret": .string(person.idToken)]))
    try await save(try KeychainViewSample.credential(.refreshToken, "rt-1", of: person))
    if !accountFirst { try await save(try KeychainViewSample.account(person)) }
    try await save(try KeychainViewSample.metadata())
  }
}
