// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing

@testable import ADALCache
@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

extension SharedGroup {
  /// Imports a cache of the MSALs, after a dry run that must have the same result.
  @discardableResult
  func importing(
    _ cache: JSONObject, _ change: (inout ImportOptions) -> Void = { _ in }
  ) async throws -> ImportSummary {
    var options = ImportOptions()
    change(&options)
    var plan = options
    plan.isDryRun = true
    let transfer = CacheTransfer(backend: backend, clock: clock)
    let planned = try await transfer.importUnified(cache.bytes, options: plan)
    let done = try await transfer.importUnified(cache.bytes, options: options)
    #expect(planned == done, "the dry run reported another result")
    return done
  }

  /// Imports ADAL's items.
  @discardableResult
  func importing(_ tokens: ADALToken..., replacing: Bool = false) async throws -> ImportSummary {
    var options = ImportOptions()
    options.replaces = replacing
    return try await ADALTransfer(backend: backend, clock: clock)
      .importFile(ADALFile(tokens: tokens), options: options)
  }

  /// The secrets of all credentials that are stored.
  func secrets() async throws -> Set<String> {
    var all: Set<String> = []
    for kind in [RecordKind.credentials, .family] {
      for record in try await backend.records(matching: .all(kind)) {
        all.formUnion(try record.document().credentials.map(\.secret))
      }
    }
    return all
  }

  /// A cache of Anna's entries of two apps of a family, which share a refresh token, and of Boris's of one of them.
  static func familysCache() async throws -> [UInt8] {
    let group = SharedGroup()
    try await group.app("mail").signIn(TestUser.anna.response(1, family: "1"))
    try await group.app("office", client: office).signIn(TestUser.anna.response(2, family: "1"))
    try await group.app("mail").signIn(TestUser.boris.response(3, family: "1"))
    return try await CacheTransfer(backend: group.backend).exportUnified().json
  }

  func signOutEverywhere() async throws {
    let directory = AccountDirectory(backend: backend, sharesWithADAL: true)
    for account in try await directory.accounts() { try await directory.signOut(account) }
  }
}

extension InMemoryBackend {
  /// The records with tokens, by account.
  func recordsWithTokens() throws -> [String: Set<RecordKey>] {
    var found: [String: Set<RecordKey>] = [:]
    for kind in [RecordKind.credentials, .family] {
      for record in try records(matching: .all(kind)) where try record.document().hasTokens {
        found[record.key.account, default: []].insert(record.key)
      }
    }
    return found
  }
}

/// A file with an account's refresh token, of a client or of a family.
func cacheFile(
  of person: TestUser = .anna, client: String = SharedGroup.suite, family: String? = nil,
  host: String = "login.microsoftonline.com", identifier: String? = nil
) -> JSONObject {
  let common: JSONObject = [
    "home_account_id": .string(identifier ?? person.identifier), "environment": .string(host),
    "client_id": .string(client), "realm": .null, "family_id": family.map(JSONValue.string) ?? .null,
  ]
  return [
    "RefreshToken": ["r": .object(EntryBuilder.fields(.refreshToken, secret: "rt-file", changing: common))],
    "Account": [
      "a": [
        "home_account_id": .string(identifier ?? person.identifier), "environment": .string(host),
        "realm": .string(person.utid), "username": .string(person.username),
      ]
    ],
    "AppMetadata": [
      "m": [
        "client_id": .string(client), "environment": .string(host), "family_id": .string(family ?? ""),
      ]
    ],
  ]
}
