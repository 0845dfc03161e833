// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// A locked keyring of gnome-keyring that a password opens without a dialog, or a missing login keyring.
package struct LockedKeyring: Sendable {
  let collection: ObjectPath
  /// What a person is asked for, as "the login keyring".
  package let name: String
  /// Whether it is the login keyring and is to be made, as nothing is there.
  package let isNew: Bool
}

/// Opening keyrings with passwords that a person types on a terminal, where no dialog could be seen.
extension SecretStore {
  /// Returns whether the login keyring is locked, or `nil` when there is none.
  package func isLoginKeyringLocked() async throws -> Bool? {
    try await guarded { try await $0.isLocked(KeyringFiles.loginCollection) }
  }

  /// Returns the first locked keyring that a group needs: the login keyring, another one with the group's password, or
  /// its own.
  ///
  /// Other providers open a keyring by their own dialog only.
  ///
  /// - Parameter group: The group; `nil` for the login keyring alone.
  /// - Returns: The keyring; `nil` when none is needed, or none can be opened by a password.
  /// - Throws: `storageFailed` when the daemon has not read the login keyring's file.
  package func lockedKeyring(neededBy group: AccessGroup?) async throws -> LockedKeyring? {
    try await guarded { client in
      guard try await client.traits().offersGnomeInterface else { return nil }
      let login = KeyringFiles.loginCollection
      switch try await client.isLocked(login) {
      case nil:
        if let damage = try await client.keyringFiles.unreadLogin {
          throw damage.error("the passwords of the access groups are in it")
        }
        return LockedKeyring(collection: login, name: "the login keyring", isNew: true)
      case true?: return LockedKeyring(collection: login, name: "the login keyring", isNew: false)
      case false?: break
      }
      guard let group else { return nil }
      let finder = GroupFinder(client: client, group: group)
      do {
        _ = try await finder.openWhole()
        return nil
      } catch let error as SecretStoreError where [.groupLocked, .groupUnrecoverable].contains(error.code) {
        let wanted = try await finder.lockedPasswords() + finder.lockedCollections()
        // A keyring that is not encrypted would take any password, and have it from then on.
        for collection in wanted where try await !finder.isPlain(collection) {
          let label = try await client.label(ofCollection: collection)
          let files = try await client.keyringFiles
          let path = GnomeKeyringFile(collection: collection).map { " (\(files.path(of: $0)))" } ?? ""
          return LockedKeyring(collection: collection, name: "the keyring \(label)\(path)", isNew: false)
        }
        return nil
      }
    }
  }

  /// Opens a keyring with its password, or makes the login keyring with this password.
  ///
  /// - Throws: `groupLocked` when it is not the keyring's password.
  package func open(_ keyring: LockedKeyring, password: Secret) async throws {
    try await guarded { client in
      if keyring.isNew {
        _ = try await client.createCollection(label: KeyringFiles.login.stem, password: password)
      } else if try await client.unlock(keyring.collection, password: password) != .unlocked {
        throw SecretStoreError(.groupLocked, "That is not the password of \(keyring.name).")
      }
    }
  }
}
