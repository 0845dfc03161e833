// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import TokenCacheModel

@Suite("An import that replaces")
struct ReplacingTests {
  private let group = SharedGroup()
  private let anna = Person.anna

  private func take(_ cache: JSONObject, _ change: (inout ImportOptions) -> Void = { $0.replaces = true })
    async throws -> ImportSummary
  {
    var options = ImportOptions()
    change(&options)
    return try await CacheExchange(backend: group.backend).importUnified(cache.bytes, options: options)
  }

  private func exported() async throws -> JSONObject {
    let json = try await CacheExchange(backend: group.backend).exportUnified().json
    return try #require(JSONValue(parsing: json).objectValue)
  }

  @Test("Sections that the file lacks go, those that it has become as it has them")
  func sections() async throws {
    _ = try await take(["Extra": ["a": 1], "More": [1]])
    _ = try await take(["More": [2]])
    let exported = try await exported()
    #expect(exported["Extra"] == nil)
    #expect(exported["More"] == [2])
    _ = try await take(["AccessToken": [:]])
    #expect(try await self.exported()["More"] == nil)
  }

  @Test("A client that has left its family in the file is in none here")
  func family() async throws {
    try await group.app("mail").signIn(anna.answer(1, family: "1"))
    var cache = try await exported()
    cache["RefreshToken"] = [:]
    let metadata: JSONObject = ["client_id": .string(SharedGroup.suite), "environment": "login.windows.net"]
    cache["AppMetadata"] = ["m": .object(metadata)]
    _ = try await take(cache)
    #expect(try await group.document()?.appMetadata.map(\.familyID) == [""])
    #expect(try await exported()["AppMetadata"]?.objectValue?.map(\.value) == [.object(metadata)])
    cache["AppMetadata"] = nil
    _ = try await take(cache)
    #expect(try await group.document()?.appMetadata.isEmpty == true)
  }

  @Test("What is known of a client without an account goes, an app's last time stays")
  func client() async throws {
    _ = try await take(["AppMetadata": ["m": ["client_id": "lonely", "environment": "login.windows.net"]]])
    try await group.app("mail").signIn(anna.answer(1))
    _ = try await group.app("mail").currentAccount()
    let cache = try await exported().changed(by: ["AppMetadata": .null])
    _ = try await take(cache)
    #expect(try await exported()["AppMetadata"] == [:])
    #expect(!(try await group.app("mail").currentAccount().hasChanged))
  }

  @Test("A dry run says what would go and takes nothing")
  func dryRun() async throws {
    _ = try await take(["Extra": ["a": 1]])
    try await group.app("mail").signIn(anna.answer(1))
    let stored = try await group.stored()
    let summary = try await take([:]) {
      $0.replaces = true
      $0.isDryRun = true
    }
    #expect(summary.removed == 1)
    #expect(try await group.stored() == stored)
  }

  @Test("Replacing by the group's own export changes nothing, in any record")
  func same() async throws {
    _ = try await take(["Extra": ["a": 1]])
    try await group.app("mail").signIn(anna.answer(1))
    try await group.app("word", client: SharedGroup.office).signIn(anna.answer(2, family: "1"))
    let stored = try await group.stored()
    let summary = try await take(try await exported())
    #expect(summary.updated == 0 && summary.added == 0 && summary.removed == 0)
    #expect(try await group.stored() == stored)
  }
}
