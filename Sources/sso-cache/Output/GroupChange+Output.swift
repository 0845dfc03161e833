// SPDX-License-Identifier: MIT

import FoundationEssentials
import SecretStoreCache

extension GroupChange {
  /// The change's name in the tool's JSON.
  private var name: String {
    switch self {
    case .snapshot: "snapshot"
    case .accountAdded: "accountAdded"
    case .accountUpdated: "accountUpdated"
    case .accountRemoved: "accountRemoved"
    case .tokensChanged: "tokensChanged"
    case .groupMade: "groupMade"
    case .groupMoved: "groupMoved"
    case .groupDeleted: "groupDeleted"
    case .groupLocked: "groupLocked"
    case .groupUnlocked: "groupUnlocked"
    case .groupUnrecoverable: "groupUnrecoverable"
    case .unavailable: "unavailable"
    case .available: "available"
    }
  }

  /// The change as the tool's JSON shows it.
  func json(at date: Date) -> JSONValue {
    var members: JSONObject = [
      "change": .string(name), "time": .init(integerLiteral: Int(date.timeIntervalSince1970)),
    ]
    if let account { members["account"] = account.json }
    if case .snapshot(let snapshot) = self {
      members["state"] = .string(snapshot.state.name)
      members["accounts"] = .array(snapshot.accounts.map(\.json))
    }
    return .object(members)
  }

  /// The change as a line shows it.
  var spoken: String {
    switch self {
    case .snapshot(let snapshot): snapshot.spoken
    case .accountAdded(let account): "signed in: \(account.spoken)"
    case .accountUpdated(let account): "updated: \(account.spoken)"
    case .accountRemoved(let account): "signed out: \(account.spoken)"
    case .tokensChanged(let account): "new tokens: \(account.spoken)"
    case .groupMade: "the group was made"
    case .groupMoved: "the group was moved"
    case .groupDeleted: "the group was deleted"
    case .groupLocked: "the group was locked"
    case .groupUnlocked: "the group was unlocked"
    case .groupUnrecoverable: "nothing can open the group again"
    case .unavailable: "the Secret Service is not available"
    case .available: "the Secret Service is available again"
    }
  }
}

extension GroupSnapshot {
  /// The snapshot as a line shows it.
  var spoken: String {
    switch state {
    case .absent: "there is no such group yet"
    case .open: accounts.isEmpty ? "nobody is signed in" : "signed in:"
    case .locked: "the group is locked"
    case .unrecoverable: "nothing can open the group again"
    case .unavailable: "the Secret Service is not available"
    }
  }
}

extension GroupState {
  /// The state's name in the tool's JSON.
  fileprivate var name: String {
    switch self {
    case .absent: "absent"
    case .open: "open"
    case .locked: "locked"
    case .unrecoverable: "unrecoverable"
    case .unavailable: "unavailable"
    }
  }
}
