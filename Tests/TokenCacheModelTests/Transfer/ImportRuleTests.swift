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
    let summary = try await group.importing(cache)
    #expect(summary.oversized.count == (fits ? 0 : 1))
    #expect(try await group.backend.records(matching: .all(.credentials)).isEmpty == !fits)
  }

  /// A cache of a person, with a refresh token of a size, and access tokens of two thousand bytes.
  private func cache(
    of person: String, refreshTokenBytes: Int = 10, accessTokens: Int = 0, lifetime: Int = 3600
  ) -> JSONObject {
    func entry(_ kind: CredentialKind, _ secret: String, _ more: JSONObject) -> JSONValue {
      .object(
        EntryBuilder.fields(
          kind, secret: secret, changing: more.changed(by: ["home_account_id": .string(person)])))
    }
    let expiry = Int(group.clock.now().timeIntervalSince1970) + lifetime
    var tokens: JSONObject = [:]
    for number in 0..<accessTokens {
      tokens["\(person) \(number)"] = entry(
        .accessToken, "\(number) " + String(repeating: "x", count: 2_000),
        ["target": .string("files.\(number)"), "expires_on": .string("\(expiry)")])
    }
    let secret = String(repeating: "r", count: refreshTokenBytes)
    return [
      "RefreshToken": [person: entry(.refreshToken, secret, ["realm": .null])],
      "AccessToken": .object(tokens),
    ]
  }

  /// Caches with too much of one account.
  private static let tooMuch: [(refreshTokenBytes: Int, accessTokens: Int)] = [
    (1_000_001, 0), (1_700_000, 700),
  ]

  @Test(
    "What is too large for a record is named, and the rest is imported", arguments: tooMuch, [true, false])
  func oversized(_ size: (refreshTokenBytes: Int, accessTokens: Int), isDryRun: Bool) async throws {
    var file = cache(
      of: "big.person", refreshTokenBytes: size.refreshTokenBytes, accessTokens: size.accessTokens)
    let small = cache(of: "small.person")
    for (section, entries) in small {
      let both = (file[section]?.objectValue ?? [:]).changed(by: entries.objectValue ?? [:])
      file[section] = .object(both)
    }
    var options = ImportOptions()
    options.isDryRun = isDryRun
    let summary = try await CacheTransfer(backend: group.backend, clock: group.clock)
      .importUnified(file.bytes, options: options)
    #expect(summary.added == 1 && summary.oversized.map(\.homeAccountID) == ["big.person"])
    #expect(summary.oversized.first?.description.contains("person") == false)
    let stored = try await group.backend.records(matching: .all(.credentials))
    #expect(stored.map(\.key.account) == (isDryRun ? [] : [RecordKey.storedAccount("small.person")]))
  }

  @Test(
    "Access tokens make room for the others, also valid ones, and a repeated import changes nothing",
    arguments: [-7200, 3600])
  func room(lifetime: Int) async throws {
    let file = cache(of: "big.person", accessTokens: 800, lifetime: lifetime)
    let transfer = CacheTransfer(backend: group.backend, clock: group.clock)
    let summary = try await transfer.importUnified(file.bytes)
    #expect(summary.added == 1 && summary.oversized.isEmpty)
    let record = try #require(try await group.backend.records(matching: .all(.credentials)).first)
    let document = try record.document()
    #expect(document.secrets(.refreshToken).count == 1)
    #expect((600..<800).contains(document.secrets(.accessToken).count))
    #expect(try await transfer.importUnified(file.bytes).unchanged == 1)
  }

  @Test("A file with nothing that fits into a record replaces nothing")
  func oversizedReplacement() async throws {
    let transfer = CacheTransfer(backend: group.backend, clock: group.clock)
    _ = try await transfer.importUnified(cache(of: "small.person").bytes)
    var options = ImportOptions()
    options.replaces = true
    let (asked, file) = (options, cache(of: "big.person", refreshTokenBytes: 1_700_000))
    await #expect(throws: SecretStoreError(.invalidFile, "")) {
      try await transfer.importUnified(file.bytes, options: asked)
    }
    #expect(try await group.backend.records(matching: .all(.credentials)).count == 1)
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
