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

/// What else is copied, and copies that meet damage, locks or other processes.
@Suite("Copy of a group: records")
struct GroupCopyRecordTests {
  private let groups = CopiedGroups()
  private let anna = TestUser.anna

  private var former: SharedGroup { groups.former }
  private var group: SharedGroup { groups.group }

  private func secrets(of group: SharedGroup) throws -> AppSecrets {
    AppSecrets(group: try AccessGroup("com.contoso.shared"), backend: group.backend, clock: group.clock)
  }

  @Test("Secrets and items are copied; one with another content stays and is counted")
  func appContent() async throws {
    let key = KeychainItemKey(account: "a", service: "object")
    let own = try secrets(of: group)
    let (old, view) = try (secrets(of: former), group.view())
    for name in ["new", "same", "other"] { try await old.set(Secret("former \(name)"), service: name) }
    try await former.view().save(["number": 1], for: key)
    group.clock.advance(by: 5)
    try await own.set(Secret("former same"), service: "same", label: "Same")
    try await own.set(Secret("own"), service: "other")
    let first = try await groups.copy()
    #expect(first.added == 2 && first.unchanged == 1 && first.conflicting == 1)
    #expect(try await own.get(service: "new") == Secret("former new"))
    #expect(try await own.get(service: "other") == Secret("own"))
    #expect(try await view.jsonObject(for: key) == ["number": 1])
    try await view.save(["number": 2], for: key)
    #expect(try await groups.copy().conflicting == 2)
    #expect(try await view.jsonObject(for: key) == ["number": 2])
  }

  @Test("Hints, throttled requests and the record of a removal stay in the first group")
  func groupData() async throws {
    let directory = AccountDirectory(backend: former.backend)
    let hint = try #require(
      AccountDirectory.Hint(
        identifier: anna.identifier, username: anna.username, environment: "login.microsoftonline.com",
        tenant: anna.utid, source: "azure-cli"))
    try await directory.replaceHints(of: "azure-cli", with: [hint])
    try await WipeRecord(app: "mail", date: former.clock.now()).write(to: former.backend)
    #expect(try await groups.copy() == ImportSummary())
    #expect(try await groups.raw(group).isEmpty)
  }

  @Test("Entries without an owner are copied, except those of a signed-out account")
  func leftovers() async throws {
    try await former.importing([
      "Extra": ["a": 1], "Other": ["b": ["home_account_id": .string(anna.identifier)]],
    ])
    try await group.app("mail").signIn(anna.response(1))
    try await group.signOutEverywhere()
    try await groups.copy()
    let stored = try await group.backend.record(for: CachePartitioner.leftovers)?.document()
    #expect(stored?[member: "Extra"] == ["a": 1])
    #expect(stored?[member: "Other"] == nil)
  }

  /// The records of each kind that is copied.
  private static let damaged = [
    SharedGroup.key(of: .boris), SharedGroup.familyKey(of: .boris),
    RecordKey.legacy(TestUser.boris.legacyRefreshToken()),
    RecordKey(kind: .secret, key: Digest.hex("secret")), CachePartitioner.leftovers,
    EnvironmentAliases.record,
  ]

  @Test("What can't be read in the first group is named, and the rest is copied", arguments: damaged)
  func damagedSource(_ key: RecordKey) async throws {
    try await former.app("mail").signIn(anna.response(1))
    await former.backend.storeRaw(Array("hunter2".utf8), for: key)
    let summary = try await groups.copy()
    #expect(summary.leftOut.map(\.key) == [key])
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-1"])
  }

  @Test("What can't be read in the second group is named and kept, and the rest is copied")
  func damagedTarget() async throws {
    try await former.app("mail").signIn(anna.response(1))
    try await former.app("mail").signIn(TestUser.boris.response(2))
    await group.backend.storeRaw(Array("hunter2".utf8), for: SharedGroup.key(of: .boris))
    let summary = try await groups.copy()
    #expect(summary.damaged.map(\.key) == [SharedGroup.key(of: .boris)])
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-1"])
  }

  @Test("The hosts that the first group has learned are learned first, and records move under them")
  func hosts() async throws {
    try await former.app("mail", at: "login.sovereign.example").learn(.sovereign)
    try await former.app("mail", at: "login.sovereign.example").signIn(anna.response(1))
    try await group.app("mail", at: "old.sovereign.example").signIn(TestUser.boris.response(2))
    let transfer = CacheTransfer(backend: group.backend, clock: group.clock)
    #expect(try await transfer.copyRecords(from: former.backend).added > 0)
    let cache = try group.app("calendar", at: "login.sovereign.example", isOnline: false)
    #expect(try await cache.accounts().count == 2)
    #expect(try await transfer.copyRecords(from: former.backend).updated == 0)
  }

  @Test("Learned hosts that the second group alone has stay")
  func knownHosts() async throws {
    let more = InstanceDiscovery(clouds: [
      .init(
        preferredNetwork: "new.sovereign.example", preferredCache: "new.sovereign.example",
        aliases: ["login.sovereign.example", "new.sovereign.example"])
    ])
    try await former.app("mail", at: "login.sovereign.example").learn(.sovereign)
    try await former.app("mail", at: "login.sovereign.example").signIn(anna.response(1))
    try await group.app("mail", at: "login.sovereign.example").learn(more)
    try await groups.copy()
    for host in ["new", "old", "cache", "login"] {
      let cache = try group.app("calendar", at: "\(host).sovereign.example", isOnline: false)
      #expect(try await cache.accounts().map(\.environment) == ["new.sovereign.example"], "\(host)")
    }
  }

  @Test("A record whose lock is held is named, and the others are copied")
  func lockedRecord() async throws {
    try await former.app("mail").signIn(anna.response(1))
    try await former.app("mail").signIn(TestUser.boris.response(2))
    let held = SharedGroup.key(of: .boris)
    let backend = WatchedBackend(
      inner: group.backend,
      beforeUpdate: { key in
        if key == held { throw SecretStoreError(.lockTimedOut, "Held.") }
      })
    let failure = try await code {
      _ = try await CacheTransfer(backend: backend).copyRecords(from: former.backend)
    }
    #expect(failure == .lockTimedOut)
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-1"])
    try await groups.copy()
  }

  @Test("An error of either group is thrown, and nothing is written", arguments: [true, false])
  func unreadableGroup(isFormer: Bool) async throws {
    try await former.app("mail").signIn(anna.response(1))
    let locked = WatchedBackend(
      inner: isFormer ? former.backend : group.backend,
      afterRecords: { _ in throw SecretStoreError(.groupLocked, "Locked.") })
    let (source, target): (any TokenCacheBackend, any TokenCacheBackend) =
      isFormer ? (locked, group.backend) : (former.backend, locked)
    let failure = try await code {
      _ = try await CacheTransfer(backend: target).copyRecords(from: source)
    }
    #expect(failure == .groupLocked)
    #expect(try await groups.raw(group).isEmpty)
  }

  @Test("An account is copied whole while another process empties the second group")
  func emptiedMeanwhile() async throws {
    try await former.app("mail").signIn(anna.response(1, family: "1"))
    try await former.app("word", client: SharedGroup.office).signIn(anna.response(2, family: "1"))
    let isFirst = Locked(true)
    let backend = WatchedBackend(
      inner: group.backend,
      beforeUpdate: { [group] key in
        guard key == SharedGroup.key(client: SharedGroup.office), isFirst.withLock({ $0.take() }) else {
          return
        }
        for kind in [RecordKind.family, .credentials] {
          for record in try await group.backend.records(matching: .all(kind)) {
            try await group.backend.remove(record.key)
          }
        }
      })
    _ = try await CacheTransfer(backend: backend, clock: group.clock).copyRecords(from: former.backend)
    #expect(try await group.secrets() == former.secrets())
  }

  @Test("Each record that is written is reported")
  func progress() async throws {
    try await former.app("mail").signIn(anna.response(1))
    try await former.app("mail").signIn(TestUser.boris.response(2))
    let reports = Locked<[[Int]]>([])
    let summary = try await CacheTransfer(backend: group.backend, clock: group.clock).copyRecords(
      from: former.backend
    ) { done, all in reports.withLock { $0.append([done, all]) } }
    #expect(reports.withLock(\.self) == (0...summary.added).map { [$0, summary.added] })
  }
}
