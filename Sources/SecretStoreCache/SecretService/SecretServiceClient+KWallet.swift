// SPDX-License-Identifier: MIT

import KeychainGroupModel

extension SecretServiceClient {
  /// The lock that keeps two programs from unlocking at once.
  static let unlocking = FileLock(.unlocking)

  /// Returns whether a collection is unlocked, after unlocking it if its wallet is open.
  package func isOpen(_ collection: ObjectPath) async throws -> Bool {
    if try await isLocked(collection) == false { return true }
    return try await unlockOpenWallet(collection)
  }

  /// Unlocks the collections of items whose wallets are open.
  ///
  /// - Returns: Whether a collection is unlocked now.
  func unlockOpenWallets(of items: [ObjectPath]) async throws -> Bool {
    var isAnyUnlocked = false
    for collection in Set(items.map(\.parent)) {
      if try await unlockOpenWallet(collection) { isAnyUnlocked = true }
    }
    return isAnyUnlocked
  }

  /// Unlocks a collection whose wallet is open; KWallet then shows no dialog.
  ///
  /// - Returns: Whether the collection is unlocked now; `false` for a provider without wallets.
  private func unlockOpenWallet(_ collection: ObjectPath) async throws -> Bool {
    guard try await traits().offersWalletInterface, try await isWalletOpen(collection) else { return false }
    return try await Self.unlocking.run {
      if try await isLocked(collection) == false { return true }
      if let prompt = try await requestUnlock(of: collection) {
        _ = try await connection().run(prompt: prompt, limit: Self.silentPromptLimit)
      }
      return try await isLocked(collection) == false
    }
  }

  /// Returns whether KWallet reports the wallet of a collection as open.
  ///
  /// A collection's label is the name of its wallet.
  private func isWalletOpen(_ collection: ObjectPath) async throws -> Bool {
    let wallet = try await label(ofCollection: collection)
    return try await perform { handle in
      try await handle.call(
        .cancellable, path: .walletDaemon, interface: ServiceHandle.walletInterface, method: "isOpen",
        arguments: { [try .string(wallet)] }, reply: "(b)", read: { $0.bool(at: 0) ?? false })
    }
  }
}
