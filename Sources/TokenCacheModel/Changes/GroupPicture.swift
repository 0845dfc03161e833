// SPDX-License-Identifier: MIT

/// A group as it was seen the last time, and what another look has changed.
struct GroupPicture: Sendable {
  /// How the group stood when its store could last be asked; `nil` when it never could.
  private var state: GroupState?
  /// Whether the store could be asked the last time.
  private(set) var isAvailable = true
  private var accounts: [Account: WatchedAccount] = [:]

  /// The picture as a snapshot.
  var snapshot: GroupSnapshot {
    GroupSnapshot(
      state: isAvailable ? state ?? .absent : .unavailable, accounts: sorted(accounts.values.map(\.account)))
  }

  /// Takes in what was seen, and says what is new in it.
  ///
  /// - Parameter seen: The accounts; `nil` when they could not be read, and then they stand as they were.
  mutating func update(_ now: GroupState, _ seen: [WatchedAccount]?) -> [GroupChange] {
    var changes: [GroupChange] = []
    if now == .unavailable {
      if isAvailable { changes.append(.unavailable) }
      isAvailable = false
      return changes
    }
    if !isAvailable { changes.append(.available) }
    isAvailable = true
    let before = state
    state = now
    changes += Self.changes(from: before, to: now)
    guard let seen = now == .absent ? [] : seen else { return changes }
    let accounts = update(accounts: seen)
    // Those of a group that is gone went with it.
    return now == .absent ? accounts + changes : changes + accounts
  }

  private mutating func update(accounts seen: [WatchedAccount]) -> [GroupChange] {
    let before = accounts
    accounts = Dictionary(seen.map { ($0.account, $0) }) { $1 }
    var changes = sorted(before.keys.filter { accounts[$0] == nil }).map(GroupChange.accountRemoved)
    for account in sorted(accounts.values.map(\.account)) {
      guard let now = accounts[account] else { continue }
      guard let before = before[account] else {
        changes.append(.accountAdded(account))
        continue
      }
      if !now.looksLike(before) { changes.append(.accountUpdated(account)) }
      if now.tokens != before.tokens { changes.append(.tokensChanged(account)) }
    }
    return changes
  }

  private static func changes(from before: GroupState?, to now: GroupState) -> [GroupChange] {
    switch (before, now) {
    case (.absent, .open): [.groupMade]
    case (.absent, .locked): [.groupMade, .groupLocked]
    case (.open(let old), .open(let new)): old == new ? [] : [.groupMoved]
    case (.locked, .open), (.unrecoverable, .open): [.groupUnlocked]
    case (.locked, .locked), (.unrecoverable, .unrecoverable), (.absent, .absent): []
    case (_, .locked): [.groupLocked]
    case (_, .unrecoverable): [.groupUnrecoverable]
    case (nil, _): []
    case (_, .absent): [.groupDeleted]
    default: []
    }
  }

  private func sorted(_ accounts: some Sequence<Account>) -> [Account] {
    accounts.sorted {
      ($0.username.lowercased(), $0.identifier, $0.environment)
        < ($1.username.lowercased(), $1.identifier, $1.environment)
    }
  }
}
