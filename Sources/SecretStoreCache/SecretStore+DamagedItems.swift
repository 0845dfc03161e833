// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Items that can't be read, for settings pages and tools.
extension SecretStore {
  /// Returns the items of a group that can't be read, and those that were set aside for that reason.
  ///
  /// - Throws: `groupLocked` or `groupUnrecoverable` when the group can't be unlocked without a prompt; `storageFailed`
  ///   when its keyring's file can't be read; `serviceUnavailable`, `timedOut` and other errors of reading a group.
  package func damagedItems(of group: AccessGroup) async throws -> [DamagedItem] {
    try await guarded { try await DamagedItems(client: $0, group: group).all() }
  }

  /// Removes an item that can't be read, together with its content.
  ///
  /// - Returns: Whether the item was still there and unchanged; otherwise nothing is removed.
  /// - Throws: `lockTimedOut` when another app held the record's write lock until the deadline, and the errors of
  ///   changing a group.
  @discardableResult
  package func removeDamagedItem(_ item: DamagedItem) async throws -> Bool {
    try await changing(item.group, within: options.timeout) { client in
      try await DamagedItems(client: client, group: item.group).remove(item)
    }
  }
}
