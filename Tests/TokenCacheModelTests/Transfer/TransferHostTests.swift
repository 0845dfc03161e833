// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheContract

@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Transfer: host of entries")
struct TransferHostTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna

  /// MSAL Python's entries of a user, all under the host that it called.
  private func pythonEntries(_ person: TestUser) -> JSONObject {
    let common: JSONObject = [
      "home_account_id": .string(person.identifier), "environment": "login.microsoftonline.com",
      "client_id": .string(SharedGroup.suite), "realm": .string(person.utid),
    ]
    return [
      "AccessToken": [
        "a": .object(EntryBuilder.fields(.accessToken, changing: common.changed(by: ["target": "mail.read"])))
      ],
      "RefreshToken": [
        "r": .object(
          EntryBuilder.fields(
            .refreshToken, secret: "rt-1",
            changing: common.changed(by: [
              "realm": .null, "target": "openid mail.read", "last_modification_time": "1700000000",
            ])))
      ],
      "AppMetadata": [
        "m": ["client_id": .string(SharedGroup.suite), "environment": "login.microsoftonline.com"]
      ],
      "Account": [
        "c": .object(common.changed(by: ["client_id": .null, "username": .string(person.username)]))
      ],
    ]
  }

  private func take(_ cache: JSONObject) async throws {
    _ = try await CacheTransfer(backend: group.backend).importUnified(cache.bytes)
  }

  private func export() async throws -> CacheDocument {
    try CacheDocument(parsing: try await CacheTransfer(backend: group.backend).exportUnified().json)
  }

  @Test("A refresh leaves an account under its host")
  func refresh() async throws {
    try await take(pythonEntries(anna))
    let mail = try group.app("mail")
    let account = try #require(try await mail.account())
    await group.endpoint.response(anna.response(2))
    _ = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account, forceRefresh: true)
    let document = try #require(try await group.document())
    let hosts = document.credentials.map(\.environment) + document.accounts.map(\.environment)
    #expect(Set(hosts) == ["login.microsoftonline.com"])
    #expect(document.secrets(.refreshToken) == ["rt-2"])
  }

  @Test("MSAL Python's refresh token keeps Python's key after a refresh; this library's has .NET's")
  func pythonKey() async throws {
    try await take(pythonEntries(anna))
    let key = "\(anna.identifier)-login.microsoftonline.com-refreshtoken-\(SharedGroup.suite)--"
    #expect(try await export()[.refreshToken].keys == [key + "openid mail.read"])
    let mail = try group.app("mail")
    let account = try #require(try await mail.account())
    group.clock.advance(by: 60)
    await group.endpoint.response(anna.response(2))
    _ = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account, forceRefresh: true)
    let exported = try await export()
    #expect(exported[.refreshToken].keys == [key])
    let token = try #require(exported.credentials.first { $0.kind == .refreshToken })
    #expect(token.fields["last_modification_time"] == "1700000060")
    try await group.app("word", client: SharedGroup.office).signIn(anna.response(3, family: "1"))
    #expect(try await export()[.refreshToken].keys.contains { $0.hasSuffix("-refreshtoken-1--") })
  }

  @Test("Accounts in one cloud under several hosts are exported under the host that receives requests")
  func mixed() async throws {
    try await take(pythonEntries(anna))
    try await group.app("mail").signIn(TestUser.boris.response(5))
    let document = try await export()
    let hosts = document.credentials.map(\.environment) + document.accounts.map(\.environment)
    #expect(Set(hosts) == ["login.microsoftonline.com"])
    #expect(document.accounts.count == 2)
    #expect(document.secrets(.accessToken) == ["at-5", "secret"])
    let stored = try await group.stored()
    try await take(try #require(JSONValue(parsing: document.serialized()).objectValue))
    #expect(try await group.stored() == stored)
  }

  @Test("Entries of .NET or Python under one host remain under it")
  func single() async throws {
    try await group.app("mail").signIn(anna.response(1))
    #expect(Set(try await export().credentials.map(\.environment)) == ["login.windows.net"])
  }
}
