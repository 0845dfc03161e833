// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Whether the password of a group's own collection is in the login collection, where the next login needs it.
struct GroupKeyCheck: Sendable {
  let inventory: GroupInventory

  static let name = "group-key"

  /// - Parameter opens: Whether a password is the collection's.
  func find(_ opens: (_ password: [UInt8], ObjectPath) async throws -> Bool) async throws -> Finding {
    guard inventory.usesKeys else { return .ok("This provider opens it with your login.") }
    let collection = inventory.place?.collection ?? (inventory.collections + inventory.namesakes).first
    guard let collection, !inventory.common.contains(collection) else {
      return .ok("It needs none: it opens with the collection that it shares.")
    }
    for key in inventory.keys(of: collection) {
      if let password = key.bytes, try await opens(password, collection) {
        return .ok("Its password is in the login keyring.")
      }
    }
    return .error(
      .groupUnrecoverable,
      "It is open, and its password is not in the login keyring: after the next login nothing opens it.",
      remedy: ToolCommand.fix(inventory.group), repair: .init(kind: .renewKey, group: inventory.group))
  }
}
