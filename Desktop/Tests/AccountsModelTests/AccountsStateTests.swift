// SPDX-License-Identifier: MIT

import AccountsModel
import SecretStoreCache
import Testing

@Suite("What the window shows of groups")
struct AccountsStateTests {
  private let shared: AccessGroup
  private let other: AccessGroup
  private let ada = Account(
    identifier: "1", username: "ada@contoso.com", environment: "id.contoso.com", name: "Ada")
  private let grace = Account(identifier: "2", username: "grace@contoso.com", environment: "id.contoso.com")

  init() throws {
    shared = try AccessGroup("com.contoso.shared", publisher: Publisher("com.contoso"))
    other = try AccessGroup("com.fabrikam.shared")
  }

  private func summary(_ group: AccessGroup?, isLocked: Bool = false, collection: String = "label")
    -> GroupSummary
  {
    GroupSummary(
      group: group, collection: collection, placement: isLocked ? nil : .dedicated, isLocked: isLocked)
  }

  private func state(_ changes: GroupChange...) -> AccountsState {
    var state = AccountsState()
    state.update(groups: .success([summary(shared), summary(other)]))
    for change in changes { state.apply(change, to: shared) }
    return state
  }

  private func open(_ accounts: Account...) -> GroupChange {
    .snapshot(GroupSnapshot(state: .open(placement: ""), accounts: accounts))
  }

  @Test("Accounts come and go with the changes of their group, sorted by what is shown")
  func accounts() {
    let state = state(open(grace), .accountAdded(ada), .accountUpdated(ada), .tokensChanged(grace))
    #expect(state.groups[0].accounts.map(\.title) == ["Ada", "grace@contoso.com"])
    #expect(
      state.groups[0].accounts.map(\.subtitle) == ["ada@contoso.com · id.contoso.com", "id.contoso.com"])
    #expect(state.groups[1].accounts.isEmpty)
    #expect(
      self.state(open(ada, grace), .accountRemoved(ada)).groups[0].accounts.map(\.title) == [
        "grace@contoso.com"
      ])
  }

  @Test(
    "Each change of a group shows as its state",
    arguments: [
      ([], GroupSection.State.reading, true),
      ([GroupChange.snapshot(GroupSnapshot(state: .absent, accounts: []))], .open, true),
      ([.snapshot(GroupSnapshot(state: .locked, accounts: []))], .locked, true),
      ([.snapshot(GroupSnapshot(state: .locked, accounts: [])), .groupUnlocked], .open, true),
      ([.snapshot(GroupSnapshot(state: .unrecoverable, accounts: []))], .unrecoverable, true),
      ([.snapshot(GroupSnapshot(state: .unavailable, accounts: []))], .reading, false),
      ([.snapshot(GroupSnapshot(state: .unavailable, accounts: [])), .available], .open, true),
      (
        [.snapshot(GroupSnapshot(state: .unavailable, accounts: [])), .available, .groupLocked], .locked, true
      ),
      ([.snapshot(GroupSnapshot(state: .locked, accounts: [])), .unavailable, .available], .locked, true),
    ] as [([GroupChange], GroupSection.State, Bool)])
  func states(changes: [GroupChange], expected: GroupSection.State, isAvailable: Bool) {
    var state = AccountsState()
    state.update(groups: .success([summary(shared)]))
    for change in changes { state.apply(change, to: shared) }
    #expect(state.groups[0].state == expected)
    #expect(state.groups[0].isAvailable == isAvailable)
  }

  @Test("A list adds and removes groups, and leaves what is known of the others")
  func lists() {
    var state = state(open(ada))
    state.update(groups: .success([summary(shared)]))
    #expect(state.groups.map(\.id) == [.group(shared)])
    #expect(state.groups[0].accounts.map(\.title) == ["Ada"])
    state.update(groups: .success([summary(other), summary(shared)]))
    #expect(state.groups.map(\.id) == [.group(other), .group(shared)])
    #expect(state.groups[1].accounts.map(\.title) == ["Ada"])
    state.apply(open(grace), to: shared)
    state.update(groups: .success([]))
    state.apply(.accountAdded(ada), to: shared)
    #expect(state.groups.isEmpty)
  }

  @Test("A group that several markers name is shown once, and so is a label")
  func planted() {
    var state = AccountsState()
    state.update(
      groups: .success([
        summary(shared), summary(shared, isLocked: true), summary(nil, isLocked: true),
        summary(nil, isLocked: true),
      ]))
    #expect(state.groups.map(\.id) == [.group(shared), .collection("label")])
  }

  @Test("A list that can't be read leaves the groups as they were, until one can be read again")
  func failure() {
    var state = state(open(ada))
    let before = state.groups
    state.update(groups: .failure(SecretStoreError(.serviceUnavailable, "No daemon.")))
    #expect(state.groups == before)
    #expect(state.failure?.detail == "No daemon.")
    #expect(state.failure?.title == "No keyring is running, so accounts can't be read or saved.")
    state.update(groups: .success([summary(shared)]))
    #expect(state.failure == nil)
  }

  @Test("A locked collection's label is shown as plain text, and nothing else is known of it")
  func unknownCollection() {
    var state = AccountsState()
    state.update(groups: .success([summary(nil, isLocked: true, collection: "<b>x</b>\u{1B}[2J\u{202E}")]))
    #expect(state.groups[0].title == "<b>x</b>\u{FFFD}[2J\u{FFFD}")
    #expect(state.groups[0].subtitle == "Locked; which group it holds is not known")
    #expect(state.groups[0].group == nil)
  }

  @Test("A locked collection is that of the one group that apps declare under its label")
  func declared() throws {
    func app(_ group: AccessGroup) throws -> InstalledApps.App {
      InstalledApps.App(
        identifier: "com.contoso.mail", name: "Mail",
        entitlements: try AppEntitlements(
          app: "com.contoso.mail", publisher: group.publisher?.name, groups: [group.name]))
    }
    let list = [summary(nil, isLocked: true, collection: shared.name)]
    var state = AccountsState()
    state.update(apps: [try app(shared), try app(other)], grants: [], problems: [])
    state.update(groups: .success(list))
    #expect(state.groups.map(\.id) == [.group(shared)])
    // Two publishers' groups of that name: which of them it is can't be told.
    let namesake = try AccessGroup(shared.name, publisher: Publisher("com.fabrikam"))
    state = AccountsState()
    state.update(apps: [try app(shared), try app(namesake)], grants: [], problems: [])
    state.update(groups: .success(list))
    #expect(state.groups.map(\.id) == [.collection(shared.name)])
  }

  @Test("The identifier stands for an account without a name")
  func nameless() {
    let account = Account(identifier: "subject", username: " ", environment: "id.contoso.com", name: "")
    #expect(state(open(account)).groups[0].accounts.map(\.title) == ["subject"])
  }

  @Test("An account that only its tokens' age has changed of is not drawn again")
  func unchanged() {
    let before = state(open(ada))
    var after = before
    after.apply(.tokensChanged(ada), to: shared)
    #expect(after == before)
  }
}
