// SPDX-License-Identifier: MIT

/// What has changed in a group.
public enum GroupChange: Sendable {
  /// How everything stood when the watching began; always the first.
  case snapshot(GroupSnapshot)

  /// An account can be used that could not before: somebody has signed in, or what hid it is gone.
  case accountAdded(Account)
  /// What is known of an account is not what it was: its user name, name, clients or tenants.
  case accountUpdated(Account)
  /// An account can no longer be used: it was signed out of.
  case accountRemoved(Account)
  /// An account's tokens are not those of before: they were refreshed, or the server has refused one.
  case tokensChanged(Account)

  /// The group was made.
  case groupMade
  /// The group was moved into another collection.
  case groupMoved
  /// The group was deleted, with all that was in it.
  case groupDeleted
  /// The group was locked; what is known of its accounts stands until it can be read again.
  case groupLocked
  /// The group can be read again.
  case groupUnlocked
  /// Nothing can open the group again (`groupUnrecoverable`).
  case groupUnrecoverable
  /// The store is not there, does not answer, or can't be made sense of.
  case unavailable
  /// The store is there again.
  case available

  /// The account that the change is about; `nil` for the group as a whole.
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
  /// What has happened, in the words of the cases, with the account's identifier where there is one.
  public var description: String {
    switch self {
    case .snapshot(let snapshot): "snapshot of \(snapshot.accounts.count) accounts"
    case .accountAdded(let account): "added \(account)"
    case .accountUpdated(let account): "updated \(account)"
    case .accountRemoved(let account): "removed \(account)"
    case .tokensChanged(let account): "tokens changed of \(account)"
    case .groupMade: "group made"
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
