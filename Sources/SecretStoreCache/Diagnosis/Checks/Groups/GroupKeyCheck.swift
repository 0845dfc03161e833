// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Whether the password of a group's own collection is in the login collection, where the next login needs it.
///
/// Whether it is the right one shows when the group is opened: an open collection takes any, and one that was locked to
/// find out could not be opened again.
struct GroupKeyCheck: Sendable {
  let inventory: GroupInventory

  static let name = "group-key"

  func find() -> Finding {
    guard inventory.usesKeys else { return .ok("This provider opens it with your login.") }
    let collection = inventory.place?.collection ?? (inventory.collections + inventory.namesakes).first
    guard let collection else { return .notLookedAt("there is no collection") }
    if inventory.common.contains(collection) {
      return .ok("It needs none: it opens with the collection that it shares.")
    }
    if !inventory.keys(of: collection).isEmpty || inventory.remembered.contains(collection) {
      return .ok("Its password is in the login keyring.")
    }
    return .error(
      .groupUnrecoverable,
      "It is open, and its password is not in the login keyring: after the next login only who knows it can open it.",
      remedy: ToolCommand.fix(inventory.group), repair: .init(kind: .renewKey, group: inventory.group))
  }
}
