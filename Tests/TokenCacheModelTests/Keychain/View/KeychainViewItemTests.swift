// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing
import TokenCacheContract

@testable import KeychainItems
@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Keychain view: items")
struct KeychainViewItemTests {
  private typealias Sample = KeychainViewSample

  private let group = SharedGroup()

  @Test("A key with a generic attribute or type is exact; one without them matches any")
  func narrowing() async throws {
    let view = try group.view()
    try await view.saveSignIn()
    let account = KeychainItemKey(of: try Sample.account())
    let token = KeychainItemKey(of: try Sample.credential(.refreshToken))
    for (key, isFound) in [(account, true), (account.with(generic: "other", type: 1003), false)] {
      #expect(try await (view.account(for: key) != nil) == isFound)
    }
    #expect(try await view.account(for: account.with(generic: nil, type: nil)) != nil)
    #expect(try await view.account(for: account.with(generic: account.generic, type: 1001)) == nil)
    #expect(try await !view.removeAccount(account.with(generic: "other", type: 1003)))
    #expect(try await view.credential(for: token.with(generic: nil, type: nil)) != nil)
    #expect(try await view.credential(for: token.with(generic: token.generic, type: 2008)) == nil)
    #expect(try await !view.removeCredential(token.with(generic: "other", type: 2002)))
    #expect(try await view.removeCredential(token.with(generic: nil, type: nil)))
  }

  @Test("The newest of several clients' entries for one account takes precedence")
  func newestFirst() async throws {
    let view = try group.view()
    for (client, name, date) in [
      (SharedGroup.suite, "Old", "1600000000"), (SharedGroup.office, "New", "1650000000"),
    ] {
      let token = try Sample.credential(
        .accessToken, "at", of: .anna, ["client_id": .string(client), "cached_at": .string(date)])
      let account = try Sample.account(.anna, ["name": .string(name), name: 1])
      try await group.backend.update(SharedGroup.key(client: client)) { stored in
        var document = CacheDocument()
        document.put(token)
        document.put(account)
        stored = document
      }
    }
    let expected = try Sample.account(.anna, ["name": "New", "Old": 1, "New": 1])
    #expect(try await view.accounts(matching: .accounts()) == [expected])
    #expect(try await view.account(for: KeychainItemKey(of: expected)) == expected)
  }

  @Test("A refresh token's date is its save: an import leaves it, or replaces it with a newer one")
  func dated() async throws {
    let view = try group.view()
    try await view.save(try Sample.credential(.refreshToken, "rt-1"))
    let transfer = CacheTransfer(backend: group.backend)
    for (seconds, secret) in [(-60.0, "rt-1"), (60, "imported")] {
      let date = UnixTime.value(TestClock.start.addingTimeInterval(seconds)) ?? .null
      let entry = try Sample.credential(
        .refreshToken, "imported", of: .anna, ["last_modification_time": date])
      let cache: JSONObject = ["RefreshToken": ["key": .object(entry.fields)]]
      _ = try await transfer.importUnified(cache.bytes)
      #expect(try await group.document()?.secrets(.refreshToken) == [secret])
    }
  }

  @Test("The credential stored last comes first")
  func order() async throws {
    let view = try group.view()
    for (scope, date) in [("a", "1600000000"), ("b", "1650000000"), ("c", "1620000000")] {
      try await view.save(
        try Sample.credential(
          .accessToken, scope, of: .anna, ["target": .string(scope), "cached_at": .string(date)]))
    }
    #expect(try await view.credentials(matching: .items(type: 2001)).map(\.secret) == ["b", "c", "a"])
  }

  @Test("Unknown members of the replaced item remain")
  func unknownMembers() async throws {
    let view = try group.view()
    let entry = try Sample.credential(.refreshToken, "rt-1", of: .anna, ["future": 1])
    try await view.save(entry)
    try await view.save(try Sample.credential(.refreshToken, "rt-2"))
    let stored = try await view.credential(for: KeychainItemKey(of: entry))
    #expect(stored == (try Sample.credential(.refreshToken, "rt-2", of: .anna, ["future": 1])))
  }

  @Test(
    "Saving an account finds a client's record that is created at the same time", arguments: [true, false])
  func madeMeanwhile(isFirst: Bool) async throws {
    let view = try group.view()
    if !isFirst {
      try await view.save(try Sample.credential(.refreshToken, "rt", of: .anna, ["client_id": "other"]))
    }
    var racing = FailingBackend(inner: group.backend)
    let once = Once()
    racing.beforeWriting = {
      if await once.isFirst() { try await view.save(try Sample.credential(.refreshToken)) }
    }
    let entry = try Sample.account()
    try await group.view(through: racing).save(entry)
    #expect(try await group.document()?.accounts == [entry])
    let leftovers = try await group.backend.record(for: .groupData("imported"))?.document()
    #expect(leftovers?.accounts.isEmpty != false)
  }

  private actor Once {
    private var isOver = false

    func isFirst() -> Bool {
      defer { isOver = true }
      return !isOver
    }
  }

  @Test("Two concurrent saves lose no item of each other")
  func atOnce() async throws {
    let view = try group.view()
    let scopes = (0..<40).map { "scope\($0)" }
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for scope in scopes {
        tasks.addTask {
          try await view.save(
            try Sample.credential(.accessToken, "at", of: .anna, ["target": .string(scope)]))
        }
        tasks.addTask { try await view.save(try Sample.account(.anna, [scope: 1])) }
      }
      try await tasks.waitForAll()
    }
    #expect(try await view.credentials(matching: .items()).count == scopes.count)
    try await view.save(try Sample.account())
    let account = try #require(try await view.accounts(matching: .items()).first)
    #expect(scopes.allSatisfy { account.fields[$0] == 1 })
    #expect(try await group.app("mail").account()?.identifier == TestUser.anna.identifier)
  }
}

extension KeychainItemKey {
  fileprivate func with(generic: String?, type: Int?) -> KeychainItemKey {
    KeychainItemKey(account: account, service: service, generic: generic, type: type)
  }
}
