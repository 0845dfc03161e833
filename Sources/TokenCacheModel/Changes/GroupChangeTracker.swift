// SPDX-License-Identifier: MIT

import UnifiedCache

/// The last known state of a group, which gives the changes of each new observation.
struct GroupChangeTracker: Sendable {
  /// The group's state when the store was last available; `nil` when it never was.
  private var state: GroupState?
  /// Whether the store was available at the last observation.
  private(set) var isAvailable = true
  private var accounts: [Account: AccountFingerprint] = [:]

  /// The last known state as a snapshot.
  var snapshot: GroupSnapshot {
    GroupSnapshot(
      state: isAvailable ? state ?? .absent : .unavailable,
      accounts: accounts.values.map(\.account).sortedByUsername())
  }

  /// Stores a new observation and returns its changes.
  ///
  /// - Parameter seen: The accounts; `nil` when they could not be read, and then the last known ones stay.
  mutating func update(_ now: GroupState, _ seen: [AccountFingerprint]?) -> [GroupChange] {
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
    // The accounts of a deleted group are removed before the group.
    return now == .absent ? accounts + changes : changes + accounts
  }

  private mutating func update(accounts seen: [AccountFingerprint]) -> [GroupChange] {
    let before = accounts
    accounts = Dictionary(seen.map { ($0.account, $0) }) { $1 }
    var changes = before.keys.filter { accounts[$0] == nil }.sortedByUsername().map(
      GroupChange.accountRemoved)
    for account in accounts.values.map(\.account).sortedByUsername() {
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
    case (.absent, .open): [.groupCreated]
    case (.absent, .locked): [.groupCreated, .groupLocked]
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
}
