// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Logging
import Testing

@testable import ADALCache
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Damaged record")
struct DamagedRecordTests {
  private let group = SharedGroup()
  private let boris = TestUser.boris

  /// One record of each kind that a sign-in of the client may read.
  private static let records: [RecordKey] = [
    SharedGroup.key(), SharedGroup.familyKey(),
    .client(SharedGroup.suite, environment: "login.microsoftonline.com"),
    .groupData("environments"), .groupData("imported"), .groupData("wipe"), .groupData("throttling"),
    RecordKey(kind: .legacy, environment: "login.windows.net", clientID: SharedGroup.suite, key: "k"),
    RecordKey(kind: .secret, key: "k"),
  ]

  private static let damages: KeyValuePairs<String, String> = [
    "text": "hello", "cut short": #"{"AccessToken": {"a": "#, "a wrong section": #"{"AccessToken": []}"#,
    "an array": "[]", "nobody's": "{}",
    "another's": #"{"SecretStoreCache": {"record": {"kind": "credentials", "client_id": "elsewhere"}}}"#,
    "a name twice": #"{"Account": {}, "Account": {}}"#,
    "over-large": #"{"x": "\#(String(repeating: "y", count: 2_000_000))"#,
  ]

  private var directory: AccountDirectory { AccountDirectory(backend: group.backend, sharesWithADAL: true) }
  private var transfer: CacheTransfer { CacheTransfer(backend: group.backend) }

  @Test(
    "Other records are listed, used, exported, imported and signed out, and it remains unchanged",
    arguments: records,
    damages.map(\.key))
  func others(_ key: RecordKey, _ name: String) async throws {
    let damage = try #require(Self.damages.first { $0.key == name }).value
    let mail = try group.app("mail", authority: "https://login.sovereign.example/common")
    let calendar = try group.app("calendar")
    let account = try await calendar.signIn(boris.response())
    let exported = try await transfer.exportUnified().json
    await group.backend.storeRaw(Array(damage.utf8), for: key)

    #expect(try await calendar.accounts() == [account])
    #expect(try await calendar.account(username: account.username) == account)
    _ = try await calendar.currentAccount()
    _ = try await mail.accounts()
    #expect(
      try await calendar.acquireTokenSilent(scopes: ["mail.read"], account: account).accessToken == "at-1")
    try await calendar.signIn(boris.response(2))
    #expect(try await directory.accounts() == [account])
    #expect(try await directory.accounts(named: account.identifier) == [account])
    #expect(try await transfer.importUnified(exported).damaged == [])
    #expect(try await ADALTransfer(backend: group.backend).export().tokens.isEmpty)
    let json = try await transfer.exportUnified().json
    #expect(String(decoding: json, as: UTF8.self).contains("at-2"))
    if key.kind == .legacy || key == CachePartitioner.leftovers {
      // It may be the account's.
      await #expect(throws: SecretStoreError(.corruptItem, "")) { try await directory.signOut(account) }
    } else {
      try await directory.signOut(account)
    }
    #expect(try await directory.accounts().isEmpty)
    #expect(try await group.backend.record(for: key).flatMap(DamagedRecord.init)?.key == key)
  }

  @Test("A listing and an export name it by client and host, not by account")
  func named() async throws {
    await group.backend.storeRaw(Array("hunter2".utf8), for: SharedGroup.key())
    for damaged in [try await directory.listing().damaged, try await transfer.exportUnified().damaged] {
      #expect(damaged.map(\.description) == ["Sign-in for \(SharedGroup.suite) at login.windows.net"])
      #expect(!"\(damaged[0].reason)".contains("hunter2"))
    }
  }

  @Test("A list that skips it logs that fact and none of its content")
  func logged() async throws {
    let log = CapturedLog()
    await group.backend.storeRaw(Array("hunter2".utf8), for: SharedGroup.key())
    #expect(try await group.app("mail") { $0.logger = log.logger }.accounts().isEmpty)
    let warnings = log.lines.filter { $0.level == .warning }
    #expect(warnings.map { $0.facts["client"] } == [SharedGroup.suite])
    #expect(!log.lines.contains { $0.text.contains("hunter2") || $0.text.contains(TestUser.anna.identifier) })
  }

  @Test(
    "An import leaves it unchanged, imports the rest and names it", arguments: [false, true], [false, true])
  func imported(_ isDryRun: Bool, _ replaces: Bool) async throws {
    let other = SharedGroup()
    try await other.app("mail").signIn(TestUser.anna.response(1))
    try await other.app("mail").signIn(boris.response(2))
    let cache = try await CacheTransfer(backend: other.backend).exportUnified().json
    await group.backend.storeRaw(Array("hunter2".utf8), for: SharedGroup.key())
    await group.backend.storeRaw(Array("hunter2".utf8), for: SharedGroup.key(client: "another"))
    var options = ImportOptions()
    (options.isDryRun, options.replaces) = (isDryRun, replaces)
    let summary = try await transfer.importUnified(cache, options: options)
    #expect(summary.added == 1)
    let named = replaces ? [SharedGroup.key(), SharedGroup.key(client: "another")] : [SharedGroup.key()]
    #expect(Set(summary.damaged.map(\.key)) == Set(named))
    #expect(try await directory.accounts().count == (isDryRun ? 0 : 1))
    #expect(try await directory.listing().damaged.count == 2)
  }

  @Test("Its account is found by the identifier only")
  func byName() async throws {
    try await group.app("mail").signIn(boris.response())
    await group.backend.storeRaw(Array("hunter2".utf8), for: SharedGroup.key())
    let found = try await directory.accounts(named: TestUser.anna.identifier)
    #expect(found.map(\.identifier) == [TestUser.anna.identifier])
    await #expect(throws: SecretStoreError(.corruptItem, "")) {
      try await directory.accounts(named: "anna@contoso.com")
    }
    await #expect(throws: SecretStoreError(.corruptItem, "")) {
      try await group.app("mail").account(identifier: TestUser.anna.identifier)
    }
    try await directory.signOut(found[0])
    #expect(try await directory.accounts(named: "anna@contoso.com").isEmpty)
    #expect(try await directory.accounts().count == 1)
  }

  @Test("Removing everything removes it, too", arguments: records)
  func everything(_ key: RecordKey) async throws {
    await group.backend.storeRaw(Array("hunter2".utf8), for: key)
    try await directory.removeEverything(recordedAs: "test")
    let belongsToAnotherPublisher =
      [RecordKind.secret].contains(key.kind) || ["environments", "throttling"].contains(key.key)
    let left = try await group.backend.record(for: key).flatMap(DamagedRecord.init)
    #expect((left != nil) == belongsToAnotherPublisher)
  }
}
