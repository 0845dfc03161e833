// SPDX-License-Identifier: MIT

public import UnifiedCache

/// A change of a group.
public enum GroupChange: Sendable {
  /// The state at the start of the watch; always the first element.
  case snapshot(GroupSnapshot)

  /// An account became usable: a user has signed in, or it was unreadable before.
  case accountAdded(Account)
  /// An account's user name, name, clients or tenants have changed, or in a directory's changes, its signed-in apps.
  case accountUpdated(Account)
  /// An account can no longer be used: it was signed out.
  case accountRemoved(Account)
  /// An account's tokens have changed: they were refreshed, or the server has refused one.
  case tokensChanged(Account)

  /// The group was created.
  case groupCreated
  /// The group was moved to another collection.
  case groupMoved
  /// The group was deleted with all its content.
  case groupDeleted
  /// The group was locked; its accounts stay as last known until it can be read again.
  case groupLocked
  /// The group can be read again.
  case groupUnlocked
  /// The group can never be unlocked again (`groupUnrecoverable`).
  case groupUnrecoverable
  /// The store is missing, does not respond or can't be understood.
  case unavailable
  /// The store is available again.
  case available

  /// The account that has changed; `nil` for a change of the group.
  public var account: Account? {
    switch self {
    case .accountAdded(let account), .accountUpdated(let account), .accountRemoved(let account),
      .tokensChanged(let account):
      account
    default: nil
    }
  }
}

extension GroupChange: CustomStringConvertible {
  /// The case in words, with the account's identifier if there is one.
  public var description: String {
    switch self {
    case .snapshot(let snapshot): "snapshot of \(snapshot.accounts.count) accounts"
    case .accountAdded(let account): "added \(account)"
    case .accountUpdated(let account): "updated \(account)"
    case .accountRemoved(let account): "removed \(account)"
    case .tokensChanged(let account): "tokens changed of \(account)"
    case .groupCreated: "group created"
    case .groupMoved: "group moved"
    case .groupDeleted: "group deleted"
    case .groupLocked: "group locked"
    case .groupUnlocked: "group unlocked"
    case .groupUnrecoverable: "group unrecoverable"
    case .unavailable: "unavailable"
    case .available: "available"
    }
  }
}

/// The state of a group and its accounts at the start of a watch.
public struct GroupSnapshot: Sendable {
  /// The state of the group.
  public let state: GroupState
  /// The accounts, sorted by user name; empty if the group could not be read.
  public let accounts: [Account]

  /// Creates a snapshot, for tests and previews of an app.
  public init(state: GroupState, accounts: [Account]) {
    self.state = state
    self.accounts = accounts
  }
}
