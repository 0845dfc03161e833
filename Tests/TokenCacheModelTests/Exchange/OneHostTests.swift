// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import TokenCacheModel

@Suite("The host that entries are under")
struct OneHostTests {
  private let group = SharedGroup()
  private let anna = Person.anna

  /// What MSAL Python keeps of a person: all of it under the host that it called.
  private func pythons(_ person: Person) -> JSONObject {
    let common: JSONObject = [
      "home_account_id": .string(person.identifier), "environment": "login.microsoftonline.com",
      "client_id": .string(SharedGroup.suite), "realm": .string(person.utid),
    ]
    return [
      "AccessToken": [
        "a": .object(Entry.fields(.accessToken, changing: common.changed(by: ["target": "mail.read"])))
      ],
      "RefreshToken": [
        "r": .object(
          Entry.fields(
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
    _ = try await CacheExchange(backend: group.backend).importUnified(cache.bytes)
  }

  private func export() async throws -> CacheDocument {
    try CacheDocument(parsing: try await CacheExchange(backend: group.backend).exportUnified().json)
  }

  @Test("A refresh keeps an account under the host that it is under")
  func refresh() async throws {
    try await take(pythons(anna))
    let mail = try group.app("mail")
    let account = try #require(try await mail.account())
    await group.endpoint.answer(anna.answer(2))
    _ = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account, forceRefresh: true)
    let document = try #require(try await group.document())
    let hosts = document.credentials.map(\.environment) + document.accounts.map(\.environment)
    #expect(Set(hosts) == ["login.microsoftonline.com"])
    #expect(document.secrets(.refreshToken) == ["rt-2"])
  }

  @Test(
    "A refresh token that MSAL Python keeps has Python's key, also after we refreshed it; ours has .NET's")
  func pythonsKey() async throws {
    try await take(pythons(anna))
    let key = "\(anna.identifier)-login.microsoftonline.com-refreshtoken-\(SharedGroup.suite)--"
    #expect(try await export()[.refreshToken].keys == [key + "openid mail.read"])
    let mail = try group.app("mail")
    let account = try #require(try await mail.account())
    group.clock.advance(by: 60)
    await group.endpoint.answer(anna.answer(2))
    _ = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account, forceRefresh: true)
    let exported = try await export()
    #expect(exported[.refreshToken].keys == [key])
    let token = try #require(exported.credentials.first { $0.kind == .refreshToken })
    #expect(token.fields["last_modification_time"] == "1700000060")
    try await group.app("word", client: SharedGroup.office).signIn(anna.answer(3, family: "1"))
    #expect(try await export()[.refreshToken].keys.contains { $0.hasSuffix("-refreshtoken-1--") })
  }

  @Test("Accounts of one cloud under several hosts are given out under the one that requests go to")
  func mixed() async throws {
    try await take(pythons(anna))
    try await group.app("mail").signIn(Person.boris.answer(5))
    let document = try await export()
    let hosts = document.credentials.map(\.environment) + document.accounts.map(\.environment)
    #expect(Set(hosts) == ["login.microsoftonline.com"])
    #expect(document.accounts.count == 2)
    #expect(document.secrets(.accessToken) == ["at-5", "secret"])
    let stored = try await group.stored()
    try await take(try #require(JSONValue(parsing: document.serialized()).objectValue))
    #expect(try await group.stored() == stored)
  }

  @Test("What is under one host, .NET's or Python's, stays under it")
  func single() async throws {
    try await group.app("mail").signIn(anna.answer(1))
    #expect(Set(try await export().credentials.map(\.environment)) == ["login.windows.net"])
  }
}
