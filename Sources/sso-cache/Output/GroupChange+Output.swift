// SPDX-License-Identifier: MIT

import FoundationEssentials
import SecretStoreCache
import StrictJSON

extension GroupChange {
  /// The change's name in the tool's JSON output.
  private var name: String {
    switch self {
    case .snapshot: "snapshot"
    case .accountAdded: "accountAdded"
    case .accountUpdated: "accountUpdated"
    case .accountRemoved: "accountRemoved"
    case .tokensChanged: "tokensChanged"
    case .groupCreated: "groupCreated"
    case .groupMoved: "groupMoved"
    case .groupDeleted: "groupDeleted"
    case .groupLocked: "groupLocked"
    case .groupUnlocked: "groupUnlocked"
    case .groupUnrecoverable: "groupUnrecoverable"
    case .unavailable: "unavailable"
    case .available: "available"
    }
  }

  /// Returns the change in the tool's JSON output.
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

  /// The change as a line of text.
  var displayText: String {
    switch self {
    case .snapshot(let snapshot): snapshot.displayText
    case .accountAdded(let account): "signed in: \(account.displayText)"
    case .accountUpdated(let account): "updated: \(account.displayText)"
    case .accountRemoved(let account): "signed out: \(account.displayText)"
    case .tokensChanged(let account): "new tokens: \(account.displayText)"
    case .groupCreated: "the group was created"
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
  /// The snapshot as a line of text.
  var displayText: String {
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
  /// The state's name in the tool's JSON output.
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
