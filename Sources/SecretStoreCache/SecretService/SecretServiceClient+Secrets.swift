// SPDX-License-Identifier: MIT

import CLibSecret
import KeychainGroupModel
import TokenCacheModel

extension SecretServiceClient {
  /// The secrets of items, of forty in one round trip.
  ///
  /// Items that are gone are missing from the answer; an empty secret means that none is stored. Either is believed
  /// only of an open collection: gnome-keyring leaves locked items out without a word, and KWallet hands out empty
  /// secrets for them.
  ///
  /// - Parameter obtained: Those that came with what a search found.
  /// - Throws: `groupLocked` when an item turns out to be locked.
  func secrets(
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

  /// How many sessions are tried until the two ends of one have the same key.
  ///
  /// With KWallet 5.103 they differ in one session of 170: its key agreement loses leading bytes.
  static let sessionAttempts = 3

  /// KWallet fails for all items when one is gone, KeePassXC when one is not to be read by this program; then each
  /// is asked for by itself.
  private func obtainable(_ items: [ObjectPath]) async throws -> [ObjectPath: Secret] {
    do {
      return try await batch(items)
    } catch let error as BusError where error.isAboutItems {
      guard items.count > 1 else { return [:] }
    }
    var secrets: [ObjectPath: Secret] = [:]
    for item in items {
      do {
        secrets.merge(try await batch([item])) { $1 }
      } catch let error as BusError where error.isAboutItems {}
    }
    return secrets
  }

  /// Whether an item is there.
  ///
  /// - Throws: `groupLocked` when it is locked, or gone because its collection is.
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
