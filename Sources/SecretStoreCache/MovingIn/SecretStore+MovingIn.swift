// SPDX-License-Identifier: MIT

import KeychainGroupModel
public import TokenCacheModel

extension SecretStore {
  /// Moves an app's secrets from where another library keeps them into one of its groups, all of them or none.
  ///
  /// ```swift
  /// let passwords = SecretSource(
  ///   attributes: ["xdg:schema": "com.contoso.mail.Password"],
  ///   service: .attribute("server"), account: .attribute("user"))
  /// try await store.moveSecrets(passwords, to: store.secrets(for: app))
  /// ```
  ///
  /// Every item is read and checked before the first is stored, and the originals are removed when all of them are: an
  /// app calls it at each start. A call that failed, or was cut short, can be made again. Items keep their labels; a
  /// label that no label may be is left out.
  ///
  /// - Parameters:
  ///   - source: The items.
  ///   - secrets: The app's secrets, or a group's.
  ///   - group: The group's name; `nil` for the app's default group.
  ///   - keepsOriginals: Whether the items stay where they are, too.
  /// - Returns: How many secrets are in the group now that were not there before; none when there is nothing to move.
  /// - Throws: `conflict` when two items would have one name, or another secret is stored under it; `groupLocked` when
  ///   an item is locked or could be hidden by a locked collection: nothing is unlocked for it; `invalidArgument` for a
  ///   source without attributes, an item that lacks a named attribute, and a name or secret that no secret may have;
  ///   `storageFailed` when the originals can't be removed, and then they and the copies are there; and what the
  ///   secrets' calls throw.
  @discardableResult
  public func moveSecrets(
    _ source: SecretSource, to secrets: AppSecrets, in group: String? = nil, keepsOriginals: Bool = false
  ) async throws -> Int {
    let items = try await guarded { client in try await ForeignItems(client: client, source: source).read() }
    let moved = try await secrets.set(items.map(\.secret), in: group)
    if !keepsOriginals {
      try await guarded { client in
        for item in items where try await !client.deleteItem(item.path) {
          throw SecretStoreError(.storageFailed, "The Secret Service asks before it deletes what was moved.")
        }
      }
    }
    return moved
  }
}
