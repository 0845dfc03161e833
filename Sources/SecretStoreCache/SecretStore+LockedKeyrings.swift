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

  /// Whether it is the login keyring, which opens every group.
  package var isLogin: Bool { collection == KeyringFiles.loginCollection }
}

/// A password that is not the login keyring's: nobody may know that, as after an administrator has reset the login's.
private struct RefusedLoginPassword: ErrorWithRemedy {
  let path: String

  var remedy: String {
    let file = ShellWord.quoted(path)
    return
      "Try again. If nobody knows it, put a backup of \(path) whose password you know in its place, and \(NewLogin.words)."
      + " Where there is none, what is in it is lost: mv \(file) \(ShellWord.aside(path)), \(NewLogin.words),"
      + " and run sso-cache doctor."
  }
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
  /// Without a group, it is the login keyring, or another one with passwords of groups while a group is locked.
  ///
  /// Other providers open a keyring by their own dialog only.
  ///
  /// - Parameters:
  ///   - group: The group; `nil` for all groups.
  ///   - refused: The keyrings that a password did not open, which are left out.
  /// - Returns: The keyring; `nil` when none is needed, or none can be opened by a password.
  /// - Throws: `storageFailed` when the daemon has not read the login keyring's file.
  package func lockedKeyring(
    neededBy group: AccessGroup?, except refused: [LockedKeyring] = []
  ) async throws -> LockedKeyring? {
    let needed = try await guarded { client -> LockedKeyring? in
      guard try await client.traits().offersGnomeInterface else { return nil }
      let login = KeyringFiles.loginCollection
      switch try await client.isLocked(login) {
      case nil:
        if let damage = try await client.keyringFiles.unreadLogin {
          throw damage.error("the passwords of the access groups are in it")
        }
        return LockedKeyring(collection: login, name: "the login keyring", isNew: true)
      case true?:
        if let damage = try await client.keyringFiles.replacedLogin {
          throw damage.error("the passwords of the access groups are in the login keyring")
        }
        return LockedKeyring(collection: login, name: "the login keyring", isNew: false)
      case false?: break
      }
      guard let group else { return nil }
      let finder = GroupFinder(client: client, group: group)
      do {
        _ = try await finder.openWhole()
        return nil
      } catch let error as SecretStoreError where [.groupLocked, .groupUnrecoverable].contains(error.code) {
        let wanted = try await finder.lockedPasswords() + finder.lockedCollections()
        return try await Self.encrypted(wanted, client)
      }
    }
    return try await needed == nil && group == nil ? lockedPasswords(except: refused) : needed
  }

  /// Returns a locked keyring with groups' passwords; `nil` when there is none, or what is open opens all groups.
  ///
  /// Another program's items of the same kind don't count: their attributes have other names.
  private func lockedPasswords(except refused: [LockedKeyring]) async throws -> LockedKeyring? {
    let kind = ["kind": RecordKind.groupKey.rawValue]
    if try await guarded({ try await $0.search(kind).locked.isEmpty }) { return nil }
    let groups = try await guarded { client in
      let passwords = try await client.search(kind).unlocked
      return Set(try await client.attributes(of: passwords).values.compactMap(ItemAttributes.group))
    }
    for group in groups {
      // What stays locked is found below.
      do { try await openIfLocked(group) } catch is SecretStoreError {}
    }
    return try await guarded { client in
      if try await client.search(["kind": RecordKind.group.rawValue]).locked.isEmpty { return nil }
      let files = try await client.keyringFiles
      let collections = Set(try await client.search(kind).locked.map(\.parent)).filter { collection in
        GnomeKeyringFile(collection: collection).map(files.hasGroupItems) != false
          && !refused.contains { $0.collection == collection }
      }
      return try await Self.encrypted(collections.sorted { $0.text < $1.text }, client)
    }
  }

  /// Opens a group's keyring if it is locked and opens without a prompt.
  private func openIfLocked(_ group: AccessGroup) async throws {
    try await guarded { client in
      let finder = GroupFinder(client: client, group: group)
      if try await client.search(finder.markerAttributes).locked.isEmpty { return }
      _ = try await finder.openWhole()
    }
  }

  /// Returns the first keyring that is encrypted, and that gnome-keyring itself does not open by a password it stores.
  ///
  /// One that is not encrypted would take any password, and have it from then on.
  private static func encrypted(
    _ collections: [ObjectPath], _ client: SecretServiceClient
  ) async throws -> LockedKeyring? {
    let files = try await client.keyringFiles
    for collection in collections {
      let file = GnomeKeyringFile(collection: collection)
      if file.flatMap(files.isEncrypted) == false { continue }
      if try await opensByItself(collection, client) { continue }
      let label = try await client.label(ofCollection: collection)
      let path = file.map { " (\(files.path(of: $0)))" } ?? ""
      return LockedKeyring(collection: collection, name: "the keyring \(label)\(path)", isNew: false)
    }
    return nil
  }

  /// Opens a keyring whose password gnome-keyring itself stores, and returns whether it has done so.
  private static func opensByItself(
    _ collection: ObjectPath, _ client: SecretServiceClient
  ) async throws -> Bool {
    guard let file = GnomeKeyringFile(collection: collection),
      try await !client.search([ItemAttributes.keyring: file.attribute]).unlocked.isEmpty
    else { return false }
    do {
      try await client.unlock(collection, .never)
      return true
    } catch SecretStoreError.Code.groupLocked {
      return false
    }
  }

  /// Opens a keyring with its password, or makes the login keyring with this password.
  ///
  /// A password may end with a line feed, which nobody types: `echo` gives it to `gnome-keyring-daemon --unlock`.
  ///
  /// - Throws: `groupLocked` when it is not the keyring's password; `storageFailed` when the login keyring can't be
  ///   written.
  package func open(_ keyring: LockedKeyring, password: Secret) async throws {
    try await guarded { client in
      if keyring.isNew {
        try await Self.makeLogin(client, password: password)
        return
      }
      if try await client.unlock(keyring.collection, password: password) == .unlocked { return }
      if try await client.unlock(keyring.collection, password: password.line) == .unlocked { return }
      let detail = "That is not the password of \(keyring.name)."
      guard keyring.isLogin else { throw SecretStoreError(.groupLocked, detail) }
      let files = try await client.keyringFiles
      // The daemon may ask for the password of another login keyring than the file's, which is well.
      let missed = try await files.missedLogin(client)
      let refused = RefusedLoginPassword(path: files.path(of: KeyringFiles.login))
      throw SecretStoreError(.groupLocked, detail, underlying: missed ?? refused)
    }
  }

  /// Makes the login keyring.
  ///
  /// A daemon that can't write it leaves an empty file, which the next one would take for a damaged keyring.
  private static func makeLogin(_ client: SecretServiceClient, password: Secret) async throws {
    let files = try await client.keyringFiles
    let wasThere = files.exists(KeyringFiles.login)
    do {
      _ = try await client.createCollection(label: KeyringFiles.login.stem, password: password)
    } catch let error as BusError where error.name == BusError.failed {
      let path = files.path(of: KeyringFiles.login)
      if !wasThere { files.removeEmpty(KeyringFiles.login) }
      throw SecretStoreError(
        .storageFailed,
        "The keyring daemon can't write the login keyring's file \(path); no keyring was made.")
    }
  }
}
