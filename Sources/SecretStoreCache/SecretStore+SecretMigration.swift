// SPDX-License-Identifier: MIT

import KeychainGroupModel
public import TokenCacheModel

extension SecretStore {
  /// Moves an app's secrets from items of another library into one of its groups, all of them or none.
  ///
  /// ```swift
  /// let passwords = SecretSource(
  ///   attributes: ["xdg:schema": "com.contoso.mail.Password"],
  ///   service: .attribute("server"), account: .attribute("user"))
  /// try await store.moveSecrets(passwords, to: try store.secrets(for: app))
  /// ```
  ///
  /// Every item is read and checked before the first one is stored. The originals are removed after all of them are
  /// stored. An app can therefore call it at each start, and call it again after it failed or was interrupted. Items
  /// keep their labels; a label that is not valid for a secret is dropped.
  ///
  /// - Parameters:
  ///   - source: The items.
  ///   - secrets: The secrets of the app, or of a group, to which the items are added.
  ///   - group: The group's name; `nil` for the app's default group.
  ///   - keepsOriginals: Whether to keep the original items as well.
  /// - Returns: The number of secrets that the group did not have before; zero when there is nothing to move.
  /// - Throws: `conflict` when two items would have the same name, or another secret is stored under it; `groupLocked`
  ///   when an item is locked, or a locked collection could hide one, because nothing is unlocked for it;
  ///   `invalidArgument` for a source without attributes, an item that lacks a named attribute, or a name or secret
  ///   that is not valid; `storageFailed` when the originals can't be removed, and then both they and the copies are
  ///   stored; and the errors of the secrets' calls.
  @discardableResult
  public func moveSecrets(
    _ source: SecretSource, to secrets: AppSecrets, in group: String? = nil, keepsOriginals: Bool = false
  ) async throws -> Int {
    let items = try await guarded { client in try await ExternalItems(client: client, source: source).read() }
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
