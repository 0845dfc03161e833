// SPDX-License-Identifier: MIT

import KeychainGroupModel

extension SecretServiceClient {
  /// Two programs never unlock at once.
  static let unlocking = FileLock(name: "unlock")

  /// Whether a collection is open, or is now because its wallet was.
  func isOpen(_ collection: ObjectPath) async throws -> Bool {
    if try await isLocked(collection) == false { return true }
    return try await unlockOpenWallet(collection)
  }

  /// Unlocks the collections of items, as far as their wallets are open.
  ///
  /// - Returns: Whether there was something to unlock.
  func unlockOpenWallets(of items: [ObjectPath]) async throws -> Bool {
    var isAnyUnlocked = false
    for collection in Set(items.map(\.parent)) {
      if try await unlockOpenWallet(collection) { isAnyUnlocked = true }
    }
    return isAnyUnlocked
  }

  /// Unlocks a collection whose wallet is open: then KWallet shows no dialog.
  ///
  /// - Returns: Whether the collection is unlocked now; `false` where there are no wallets.
  private func unlockOpenWallet(_ collection: ObjectPath) async throws -> Bool {
    guard try await traits().offersWalletInterface, try await isWalletOpen(collection) else { return false }
    return try await Self.unlocking.run {
      if try await isLocked(collection) == false { return true }
      let prompt = try await perform { handle in
        try await handle.call(
          .waited, path: .service, interface: "org.freedesktop.Secret.Service", method: "Unlock",
          arguments: { [.paths([collection])] }, reply: "(aoo)", read: { $0.path(at: 1) })
      }
      if let prompt, prompt != .none {
        _ = try await connection().run(prompt: prompt, limit: Self.silentPromptLimit)
      }
      return try await isLocked(collection) == false
    }
  }

  /// Whether KWallet says that the wallet behind a collection is open; the collection is labelled with its name.
  private func isWalletOpen(_ collection: ObjectPath) async throws -> Bool {
    let wallet = try await label(ofCollection: collection)
    return try await perform { handle in
      try await handle.call(
        .cancellable, path: .walletDaemon, interface: ServiceHandle.walletInterface, method: "isOpen",
        arguments: { [.string(wallet)] }, reply: "(b)", read: { $0.truth(at: 0) ?? false })
    }
  }
}
