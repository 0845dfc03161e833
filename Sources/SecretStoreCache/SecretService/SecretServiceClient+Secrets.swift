// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

extension SecretServiceClient {
  /// Returns the secrets of items, twenty per round trip; one per round trip where they may be too large together.
  ///
  /// Items that are gone are left out. An empty secret means that none is stored. Both are verified against the
  /// collection's lock state: gnome-keyring silently leaves locked items out, and KWallet returns empty secrets for
  /// them.
  ///
  /// - Parameter obtained: The secrets that a search has already returned.
  /// - Throws: `groupLocked` when an item is locked. `storageFailed` when the provider returns no readable secret of
  ///   an item in ``sessionAttempts`` sessions.
  package func secrets(
    of items: [ObjectPath], obtained: [ObjectPath: Secret]? = nil
  ) async throws -> [ObjectPath: Secret] {
    if items.isEmpty { return [:] }
    var secrets = obtained ?? [:]
    for attempt in 1...Self.sessionAttempts {
      if attempt > 1 || obtained == nil { secrets = try await obtainable(items) }
      var isComplete = true
      for item in items where secrets[item]?.isEmpty != false {
        if try await exists(unlocked: item), secrets[item] == nil { isComplete = false }
      }
      if isComplete { return secrets }
      try await connection().markDead()
    }
    throw SecretStoreError(.storageFailed, "The Secret Service does not hand out an item's secret.")
  }

  /// The number of sessions to try until both ends have the same key.
  ///
  /// With KWallet 5.103 the keys differ in one session of 170, because its key agreement drops leading bytes.
  static let sessionAttempts = 3

  /// Returns the secrets of those items that can be read.
  ///
  /// KWallet fails for all items when one is gone. KeePassXC fails for all when this program may not read one. In
  /// both cases each item is requested separately.
  private func obtainable(_ items: [ObjectPath]) async throws -> [ObjectPath: Secret] {
    do {
      return try await batch(items)
    } catch let error as BusError where error.isItemError {
      guard items.count > 1 else { return [:] }
    }
    var secrets: [ObjectPath: Secret] = [:]
    for item in items {
      do {
        secrets.merge(try await batch([item])) { $1 }
      } catch let error as BusError where error.isItemError {}
    }
    return secrets
  }

  /// Returns whether an item exists.
  ///
  /// - Throws: `groupLocked` when the item or its collection is locked.
  func exists(unlocked item: ObjectPath) async throws -> Bool {
    let isCollectionLocked = try await isLocked(item.parent)
    let isItemLocked = isCollectionLocked == true ? true : try await isLocked(item: item)
    if isItemLocked == true { throw Self.locked }
    return isItemLocked != nil
  }

  private func batch(_ items: [ObjectPath]) async throws -> [ObjectPath: Secret] {
    try await perform { try await $0.secrets(of: items) }
  }
}
