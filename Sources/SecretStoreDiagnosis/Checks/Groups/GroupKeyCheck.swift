// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache

/// A check that the login collection has the password of a group's own collection, which the next login needs.
///
/// ``GroupInventory`` has already tested the passwords against the unlocked collection and excludes those that are
/// wrong. The check never locks the collection: with a wrong password, it could not be unlocked again.
struct GroupKeyCheck: Sendable {
  let inventory: GroupInventory

  static let name = "group-key"

  func run() -> CheckResult {
    guard inventory.usesPasswords else { return .ok("This provider opens it with your login.") }
    guard let collection = inventory.location?.collection ?? inventory.proven.first else {
      return .skipped("there is no collection that is its own")
    }
    if inventory.common.contains(collection) {
      return .ok("It needs none: it opens with the collection that it shares.")
    }
    if !inventory.passwords(of: collection).isEmpty || inventory.remembered.contains(collection) {
      return .ok("Its password is in the login keyring.")
    }
    if inventory.isLoginLocked { return .skipped("the login keyring is locked, which may hold its password") }
    return .error(
      .groupUnrecoverable,
      inventory.hasPasswordLackingAttributes
        ? "It is unlocked, but what seems to be its password in the login keyring has lost attributes. Other programs"
          + " don't find it."
        : "It is unlocked, but its password is not in the login keyring. After the next login, only a user who knows the"
          + " password can unlock it.",
      remedy: ToolCommand.fix(inventory.group), repair: .init(kind: .renewKey, group: inventory.group))
  }
}
