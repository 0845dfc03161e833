// SPDX-License-Identifier: MIT

import Testing

@testable import TokenCacheModel

@Suite("The picture of a group")
struct GroupPictureTests {
  private let open = GroupState.open(place: "dedicated")

  private func seen(_ name: String, tokens: String = "1", username: String? = nil) -> WatchedAccount {
    WatchedAccount(
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
    "tells from one state of the group to the next",
    arguments: [
      (GroupState.absent, GroupState.open(place: "a"), ["group made"]),
      (.absent, .locked, ["group made", "group locked"]),
      (.absent, .absent, []),
      (.absent, .unavailable, ["unavailable"]),
      (.absent, .unrecoverable, ["group unrecoverable"]),
      (.open(place: "a"), .open(place: "a"), []),
      (.open(place: "a"), .open(place: "b"), ["group moved"]),
      (.open(place: "a"), .absent, ["group deleted"]),
      (.open(place: "a"), .locked, ["group locked"]),
      (.open(place: "a"), .unrecoverable, ["group unrecoverable"]),
      (.locked, .open(place: "a"), ["group unlocked"]),
      (.locked, .locked, []),
      (.locked, .absent, ["group deleted"]),
      (.locked, .unrecoverable, ["group unrecoverable"]),
      (.unrecoverable, .open(place: "a"), ["group unlocked"]),
      (.unrecoverable, .absent, ["group deleted"]),
      (.unavailable, .open(place: "a"), ["available"]),
      (.unavailable, .absent, ["available"]),
      (.unavailable, .locked, ["available", "group locked"]),
      (.unavailable, .unavailable, []),
    ])
  func states(before: GroupState, now: GroupState, expected: [String]) {
    var picture = GroupPicture()
    _ = picture.update(before, [])
    #expect(words(picture.update(now, [])) == expected)
    #expect(words(picture.update(now, [])) == [], "told twice")
  }

  @Test("tells after an outage what has changed meanwhile, and nothing else")
  func outage() {
    var picture = GroupPicture()
    _ = picture.update(open, [seen("ada"), seen("grace")])
    #expect(words(picture.update(.unavailable, nil)) == ["unavailable"])
    #expect(picture.snapshot.state == .unavailable)
    #expect(words(picture.update(.locked, nil)) == ["available", "group locked"])
    #expect(
      words(picture.update(open, [seen("ada"), seen("linus")]))
        == ["group unlocked", "removed grace@contoso.com", "added linus@contoso.com"])
  }

  @Test("keeps the accounts while they can't be read, and drops them with their group")
  func accountsOfGroup() {
    var picture = GroupPicture()
    _ = picture.update(open, [seen("ada")])
    _ = picture.update(.locked, nil)
    #expect(picture.snapshot.accounts.map(\.username) == ["ada@contoso.com"])
    #expect(words(picture.update(.absent, nil)) == ["removed ada@contoso.com", "group deleted"])
    #expect(picture.snapshot.accounts.isEmpty)
  }

  @Test("tells new tokens and new names apart")
  func updates() {
    var picture = GroupPicture()
    _ = picture.update(open, [seen("ada")])
    #expect(words(picture.update(open, [seen("ada")])) == [])
    #expect(words(picture.update(open, [seen("ada", tokens: "2")])) == ["tokens changed of ada@contoso.com"])
    #expect(
      words(picture.update(open, [seen("ada", tokens: "2", username: "ada@fabrikam.com")]))
        == ["updated ada@fabrikam.com"])
    #expect(
      words(picture.update(open, [seen("ada", tokens: "3")]))
        == ["updated ada@contoso.com", "tokens changed of ada@contoso.com"])
  }
}
