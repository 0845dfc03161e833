// SPDX-License-Identifier: MIT

import CLibSecret
import KeychainGroupModel
import TokenCacheModel

extension SecretServiceClient {
  /// The secrets of items, in one round trip.
  ///
  /// Items that are gone are missing from the answer; an empty secret means that none is stored. Either is believed
  /// only of an open collection: gnome-keyring leaves locked items out without a word, and KWallet hands out empty
  /// secrets for them.
  ///
  /// - Throws: `groupLocked` when an item turns out to be locked.
  func secrets(of items: [ObjectPath]) async throws -> [ObjectPath: Secret] {
    if items.isEmpty { return [:] }
    for _ in 1...Self.sessionAttempts {
      let secrets = try await obtainable(items)
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

  /// Asks for several secrets at once; one that can't be decrypted is missing from the answer.
  private func batch(_ items: [ObjectPath]) async throws -> [ObjectPath: Secret] {
    let secrets = try await perform { handle in
      guard let session = handle.session else { throw BusError.malformed }
      return try await handle.call(
        .cancellable, path: .service, interface: "org.freedesktop.Secret.Service", method: "GetSecrets",
        arguments: { [.paths(items), .path(session)] }, reply: "(a{o(oayays)})",
        read: { $0.values(at: 0, handle.decode) })
    }
    guard let secrets else { throw BusError.malformed }
    return secrets
  }
}
