// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing
import TokenCacheContract

@testable import ADALCache
@testable import KeychainItems
@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Import rules")
struct ImportRuleTests {
  private let group = SharedGroup()

  @Test(
    "A record's size counts as the largest that a back end may write, with an escape for each brace",
    arguments: [("{", false), ("}", true)])
  func braces(_ text: String, fits: Bool) async throws {
    var cache = cacheFile()
    let secret = String(repeating: text, count: CacheDocument.maximumBytes / 6)
    cache["RefreshToken"] = [
      "r": .object(
        EntryBuilder.fields(.refreshToken, secret: secret, changing: ["text": #"\"{\""#, "realm": .null]))
    ]
    if fits {
      #expect(try await group.importing(cache).added >= 1)
    } else {
      await #expect(throws: SecretStoreError(.invalidFile, "")) { try await group.importing(cache) }
      #expect(try await group.stored().isEmpty)
    }
  }

  @Test("Accounts of more than 64 MiB for all of their clients are refused", arguments: [1, 70])
  func manyClients(count: Int) async throws {
    var cache = cacheFile()
    var tokens: JSONObject = [:]
    for number in 0..<count {
      var fields = cache["RefreshToken"]?.objectValue?["r"]?.objectValue ?? [:]
      fields["client_id"] = .string("client \(number)")
      tokens["r\(number)"] = .object(fields)
    }
    cache["RefreshToken"] = .object(tokens)
    var account = cache["Account"]?.objectValue?["a"]?.objectValue ?? [:]
    account["text"] = .string(String(repeating: "x", count: 1_000_000))
    cache["Account"] = ["a": .object(account)]
    if count == 1 {
      #expect(try await group.importing(cache).added >= 1)
    } else {
      await #expect(throws: SecretStoreError(.invalidFile, "")) { try await group.importing(cache) }
    }
  }

  @Test(
    "A repeated import, or an import of an export, changes nothing",
    arguments: [
      ["Account": ["a": ["home_account_id": "nobody", "environment": "login.windows.net"]]],
      [
        "Account": [
          "a": ["home_account_id": "nobody", "environment": "login.windows.net", "username": "ada"],
          "b": [
            "home_account_id": "nobody", "environment": "login.microsoftonline.com", "username": "grace",
          ],
        ]
      ],
      [
        "RefreshToken": [
          "r": .object(
            EntryBuilder.fields(
              .refreshToken, secret: "rt", changing: ["environment": "https://login.windows.net/contoso.com"])
          )
        ]
      ],
    ] as [JSONObject])
  func again(_ cache: JSONObject) async throws {
    let first = try await group.importing(cache)
    #expect(first.added == 1 && first.unreadable == 0)
    let exported = try await CacheTransfer(backend: group.backend).exportUnified().json
    for bytes in [cache.bytes, exported] {
      let summary = try await CacheTransfer(backend: group.backend, clock: group.clock).importUnified(bytes)
      #expect(summary.added + summary.updated + summary.removed == 0)
      #expect(summary.unchanged == 1)
    }
  }
}
