// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing
import TokenCacheContract

@testable import ADALCache
@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Import of newer and older tokens")
struct ImportFreshnessTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna

  /// Dates of a stored token and of a file's token, and whether the import takes the file's.
  struct Dates: Sendable, CustomTestStringConvertible {
    let stored: String?
    let incoming: String?
    let isTaken: Bool
    var testDescription: String { "\(stored ?? "none") then \(incoming ?? "none")" }
  }

  static let now = 1_700_000_000
  static let dates = [
    Dates(stored: "\(now - 60)", incoming: "\(now - 30)", isTaken: true),
    Dates(stored: "\(now - 30)", incoming: "\(now - 60)", isTaken: false),
    Dates(stored: "\(now - 30)", incoming: "\(now - 30)", isTaken: false),
    Dates(stored: nil, incoming: "\(now - 60)", isTaken: true),
    Dates(stored: "\(now - 60)", incoming: nil, isTaken: false),
    Dates(stored: nil, incoming: nil, isTaken: false),
    Dates(stored: "\(now + 3600)", incoming: "\(now - 60)", isTaken: true),
    Dates(stored: "\(now - 60)", incoming: "\(now + 3600)", isTaken: false),
    Dates(stored: "\(now - 60)", incoming: "\(now + 10)", isTaken: true),
    Dates(stored: "\(now - 60)", incoming: "\(now + 11)", isTaken: false),
    Dates(stored: "0", incoming: "\(now - 60)", isTaken: true),
    Dates(stored: "\(now - 60)", incoming: "0", isTaken: false),
    Dates(stored: "soon", incoming: "\(now - 60)", isTaken: true),
    Dates(stored: "\(now - 60)", incoming: "99999999999999", isTaken: false),
    Dates(stored: "-5", incoming: "0", isTaken: false),
  ]

  @Test(
    "The newer token takes precedence by its own date; one with an invalid date neither wins nor blocks",
    arguments: dates)
  func newer(_ dates: Dates) async throws {
    let members = [
      (CredentialKind.accessToken, "cached_at"), (.refreshToken, "last_modification_time"),
    ]
    for (kind, member) in members {
      let group = SharedGroup()
      let transfer = CacheTransfer(backend: group.backend, clock: group.clock)
      for (secret, date) in [("old", dates.stored), ("new", dates.incoming)] {
        let fields = EntryBuilder.fields(
          kind, secret: secret, changing: [member: date.map(JSONValue.string) ?? .null, "target": "s"])
        // The file also has a newer token, whose date says nothing about this one.
        let beside = EntryBuilder.fields(
          .accessToken, secret: "beside",
          changing: ["target": "other", "cached_at": .string("\(secret == "new" ? Self.now : Self.now - 9)")])
        var cache: JSONObject = ["AccessToken": ["b": .object(beside)]]
        var section = cache[kind.section.rawValue]?.objectValue ?? [:]
        section["k"] = .object(fields)
        cache[kind.section.rawValue] = .object(section)
        _ = try await transfer.importUnified(cache.bytes)
      }
      let json = try await transfer.exportUnified().json
      let all = try CacheDocument(parsing: json).credentials.filter { $0.secret != "beside" }
      #expect(all.map(\.secret) == [dates.isTaken ? "new" : "old"], "\(kind.rawValue)")
    }
  }

  @Test(
    "A sign-in's refresh token has the date of the sign-in, whatever other tokens are beside it",
    arguments: [(-60, false), (0, false), (60, true)])
  func newerThanSignIn(after seconds: Int, isTaken: Bool) async throws {
    try await group.app("mail").signIn(anna.response(1))
    group.clock.advance(by: 120)
    let token = EntryBuilder.fields(
      .refreshToken, secret: "rt-file",
      changing: [
        "home_account_id": .string(anna.identifier), "client_id": .string(SharedGroup.suite), "realm": .null,
        "last_modification_time": .string("\(Self.now + seconds)"),
      ])
    try await group.importing(["RefreshToken": ["r": .object(token)]])
    #expect(try await group.document()?.secrets(.refreshToken) == [isTaken ? "rt-file" : "rt-1"])
  }

  @Test("An ADAL item follows the same rule", arguments: dates)
  func newerOfADAL(_ dates: Dates) async throws {
    for (secret, date) in [("old", dates.stored), ("new", dates.incoming)] {
      var token = anna.legacyRefreshToken(secret)
      token.fields["cached_at"] = date.map(JSONValue.string)
      try await group.importing(token)
    }
    #expect(try await group.legacyItems().map(\.refreshToken) == [dates.isTaken ? "new" : "old"])
  }

  @Test("An import does not replace a refresh token that was saved by itself with an older one")
  func olderRefreshToken() async throws {
    let mail = try group.app("mail")
    try await mail.signIn(anna.response(1))
    group.clock.advance(by: 500)
    let other = SharedGroup()
    other.clock.advance(by: 500)
    try await other.app("mail").signIn(anna.response(5))
    let file = try await CacheTransfer(backend: other.backend).exportUnified().json
    group.clock.advance(by: 1000)
    try await mail.save(
      try CredentialEntry(fields: [
        "credential_type": "RefreshToken", "home_account_id": .string(anna.identifier),
        "environment": "login.windows.net", "client_id": .string(SharedGroup.suite), "secret": "rt-newest",
      ]))
    _ = try await CacheTransfer(backend: group.backend).importUnified(file)
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-newest"])
  }

  @Test("A refresh token is written with its own date, else with that of the sign-in")
  func writtenDate() async throws {
    try await group.app("mail").signIn(anna.response(1))
    try await group.app("tasks", client: SharedGroup.office).signIn(anna.response(2))
    let own = TestClock.start.addingTimeInterval(-600)
    try await group.backend.update(SharedGroup.key(client: SharedGroup.office)) { stored in
      guard var token = stored?.credentials.first(where: { $0.kind == .refreshToken }) else { return }
      token.fields["last_modification_time"] = UnixTime.value(own)
      stored?.put(token)
    }
    let document = try await CacheTransfer(backend: group.backend).whole(datesRefreshTokens: true).document
    let tokens = document.credentials.filter { $0.kind == .refreshToken }
    #expect(Set(tokens.map(\.modifiedAt)) == [TestClock.start, own])
  }

  @Test("The date of a removed refresh token is not that of an undated one that is imported")
  func staleDate() throws {
    let undated = EntryBuilder.document(.refreshToken, ["r": .object(EntryBuilder.fields(.refreshToken))])
    let merge = RecordMerge(
      incoming: undated, replaces: false, freshness: Freshness(now: TestClock.start))
    var stored: CacheDocument? = CacheDocument()
    stored?.metadata.refreshTokenAt = TestClock.start
    #expect(merge.apply(to: &stored) == .updated)
    #expect(stored?.secrets(.refreshToken).count == 1 && stored?.metadata.refreshTokenAt == nil)
  }

  @Test("An import adds what an account lacks, and changes nothing that it has")
  func filling() throws {
    func account(_ members: JSONObject) -> CacheDocument {
      let common: JSONObject = ["home_account_id": "u.t", "environment": "host", "realm": "t"]
      return EntryBuilder.document(.account, ["a": .object(common.changed(by: members))])
    }
    let merge = RecordMerge(
      incoming: account(["name": "Anna", "username": "new", "given_name": "A", "family_name": ""]),
      replaces: false,
      freshness: Freshness(now: TestClock.start))
    var stored: CacheDocument? = account(["username": "anna", "given_name": ""])
    #expect(merge.apply(to: &stored) == .updated)
    let merged = try #require(stored?.accounts.first)
    #expect(merged.username == "anna" && merged["name"] == "Anna" && merged["given_name"] == "A")
    #expect(merged.fields["family_name"] == nil)
  }
}
