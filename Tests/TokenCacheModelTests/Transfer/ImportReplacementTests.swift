// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Import that replaces")
struct ImportReplacementTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna

  private func take(_ cache: JSONObject, _ change: (inout ImportOptions) -> Void = { $0.replaces = true })
    async throws -> ImportSummary
  {
    var options = ImportOptions()
    change(&options)
    return try await CacheTransfer(backend: group.backend).importUnified(cache.bytes, options: options)
  }

  private func exported() async throws -> JSONObject {
    let json = try await CacheTransfer(backend: group.backend).exportUnified().json
    return try #require(JSONValue(parsing: json).objectValue)
  }

  @Test("Sections missing from the file are removed, all others become the file's")
  func sections() async throws {
    _ = try await take(["Extra": ["a": 1], "More": [1]])
    _ = try await take(["More": [2]])
    let exported = try await exported()
    #expect(exported["Extra"] == nil)
    #expect(exported["More"] == [2])
    _ = try await take(["AccessToken": [:]])
    #expect(try await self.exported()["More"] == nil)
  }

  @Test("A client that left its family in the file is in no family afterwards")
  func family() async throws {
    try await group.app("mail").signIn(anna.response(1, family: "1"))
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

  @Test("Metadata of a client without an account are removed, an app's previous account remains")
  func client() async throws {
    _ = try await take(["AppMetadata": ["m": ["client_id": "lonely", "environment": "login.windows.net"]]])
    try await group.app("mail").signIn(anna.response(1))
    _ = try await group.app("mail").currentAccount()
    let cache = try await exported().changed(by: ["AppMetadata": .null])
    _ = try await take(cache)
    #expect(try await exported()["AppMetadata"] == [:])
    #expect(!(try await group.app("mail").currentAccount().hasChanged))
  }

  @Test("A dry run reports the removals and removes nothing")
  func dryRun() async throws {
    _ = try await take(["Extra": ["a": 1]])
    try await group.app("mail").signIn(anna.response(1))
    let stored = try await group.stored()
    let summary = try await take([:]) {
      $0.replaces = true
      $0.isDryRun = true
    }
    // The record of the account, and the one of the member.
    #expect(summary.removed == 2)
    #expect(try await group.stored() == stored)
  }

  @Test("A file with only tokens or only accounts beside unreadable entries replaces the stored ones")
  func tokensOrAccounts() async throws {
    let bad: JSONObject = ["secret": 5]
    let token = EntryBuilder.fields(.refreshToken, secret: "rt-file", changing: ["realm": .null])
    let account: JSONObject = [
      "home_account_id": "uid.utid", "environment": "login.windows.net", "realm": "t",
    ]
    for (cache, hasTokens) in [
      (["RefreshToken": ["r": .object(token), "x": .object(bad)]], true),
      (["RefreshToken": ["x": .object(bad)], "Account": ["a": .object(account)]], false),
    ] as [(JSONObject, Bool)] {
      try await group.app("mail").signIn(anna.response(1))
      let summary = try await take(cache) {
        $0.replaces = true
        $0.skipsUnreadable = true
      }
      #expect(summary.unreadable == 1)
      #expect(try await group.document()?.hasTokens != true)
      #expect(try await exported()["RefreshToken"]?.objectValue?.isEmpty == !hasTokens)
    }
  }

  @Test("Replacing with the group's own export changes no record")
  func same() async throws {
    _ = try await take(["Extra": ["a": 1]])
    try await group.app("mail").signIn(anna.response(1))
    try await group.app("word", client: SharedGroup.office).signIn(anna.response(2, family: "1"))
    let stored = try await group.stored()
    let summary = try await take(try await exported())
    #expect(summary.updated == 0 && summary.added == 0 && summary.removed == 0)
    #expect(try await group.stored() == stored)
  }
}
