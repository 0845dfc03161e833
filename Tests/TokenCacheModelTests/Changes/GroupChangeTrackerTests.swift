// SPDX-License-Identifier: MIT

import Testing

@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Group change tracker")
struct GroupChangeTrackerTests {
  private let open = GroupState.open(placement: "dedicated")

  private func seen(_ name: String, tokens: String = "1", username: String? = nil) -> AccountFingerprint {
    AccountFingerprint(
      account: Account(
        identifier: name, username: username ?? "\(name)@contoso.com", environment: "login.windows.net"),
      tokens: tokens)
  }

  private func words(_ changes: [GroupChange]) -> [String] {
    changes.map { change in
      let name = "\(change)".split(separator: " Account")[0]
      return change.account.map { "\(name) \($0.username)" } ?? String(name)
    }
  }

  @Test(
    "It reports the changes from one state of the group to the next",
    arguments: [
      (GroupState.absent, GroupState.open(placement: "a"), ["group created"]),
      (.absent, .locked, ["group created", "group locked"]),
      (.absent, .absent, []),
      (.absent, .unavailable, ["unavailable"]),
      (.absent, .unrecoverable, ["group unrecoverable"]),
      (.open(placement: "a"), .open(placement: "a"), []),
      (.open(placement: "a"), .open(placement: "b"), ["group moved"]),
      (.open(placement: "a"), .absent, ["group deleted"]),
      (.open(placement: "a"), .locked, ["group locked"]),
      (.open(placement: "a"), .unrecoverable, ["group unrecoverable"]),
      (.locked, .open(placement: "a"), ["group unlocked"]),
      (.locked, .locked, []),
      (.locked, .absent, ["group deleted"]),
      (.locked, .unrecoverable, ["group unrecoverable"]),
      (.unrecoverable, .open(placement: "a"), ["group unlocked"]),
      (.unrecoverable, .absent, ["group deleted"]),
      (.unavailable, .open(placement: "a"), ["available"]),
      (.unavailable, .absent, ["available"]),
      (.unavailable, .locked, ["available", "group locked"]),
      (.unavailable, .unavailable, []),
    ])
  func states(before: GroupState, now: GroupState, expected: [String]) {
    var tracker = GroupChangeTracker()
    _ = tracker.update(before, [])
    #expect(words(tracker.update(now, [])) == expected)
    #expect(words(tracker.update(now, [])) == [], "reported twice")
  }

  @Test("After an outage it reports only what changed during it")
  func outage() {
    var tracker = GroupChangeTracker()
    _ = tracker.update(open, [seen("ada"), seen("grace")])
    #expect(words(tracker.update(.unavailable, nil)) == ["unavailable"])
    #expect(tracker.snapshot.state == .unavailable)
    #expect(words(tracker.update(.locked, nil)) == ["available", "group locked"])
    #expect(
      words(tracker.update(open, [seen("ada"), seen("linus")]))
        == ["group unlocked", "removed grace@contoso.com", "added linus@contoso.com"])
  }

  @Test("It keeps the accounts while they cannot be read and drops them with their group")
  func accountsOfGroup() {
    var tracker = GroupChangeTracker()
    _ = tracker.update(open, [seen("ada")])
    _ = tracker.update(.locked, nil)
    #expect(tracker.snapshot.accounts.map(\.username) == ["ada@contoso.com"])
    #expect(words(tracker.update(.absent, nil)) == ["removed ada@contoso.com", "group deleted"])
    #expect(tracker.snapshot.accounts.isEmpty)
  }

  @Test("It distinguishes new tokens from new names")
  func updates() {
    var tracker = GroupChangeTracker()
    _ = tracker.update(open, [seen("ada")])
    #expect(words(tracker.update(open, [seen("ada")])) == [])
    #expect(words(tracker.update(open, [seen("ada", tokens: "2")])) == ["tokens changed of ada@contoso.com"])
    #expect(
      words(tracker.update(open, [seen("ada", tokens: "2", username: "ada@fabrikam.com")]))
        == ["updated ada@fabrikam.com"])
    #expect(
      words(tracker.update(open, [seen("ada", tokens: "3")]))
        == ["updated ada@contoso.com", "tokens changed of ada@contoso.com"])
  }
}
