// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache
import TokenCacheModel

/// A locked collection with a group's marker for which the login keyring, which is open, has no password.
///
/// The marker's attributes are digests, so that the group's publisher is not known.
struct CollectionWithoutPassword: Sendable {
  let label: String
  private let files: KeyringFiles

  /// Looks for a collection with a label.
  ///
  /// - Returns: `nil` where there is none, where the password may be in a locked keyring or in a login keyring that the
  ///   daemon has not read, and on another provider than gnome-keyring.
  static func named(_ label: String, in client: SecretServiceClient) async throws -> Self? {
    guard try await client.traits().offersGnomeInterface,
      try await client.keyringFiles.missedLogin(client) == nil,
      let login = try await client.collection(alias: "login"), try await client.isLocked(login) == false
    else { return nil }
    let passwords = try await client.search(["kind": RecordKind.groupKey.rawValue, "group": label])
    guard passwords.unlocked.isEmpty, passwords.locked.isEmpty else { return nil }
    let markers = try await client.search(["kind": RecordKind.group.rawValue]).locked
    for collection in Set(markers.map(\.parent))
    where try await client.label(ofCollection: collection) == label {
      guard let file = GnomeKeyringFile(collection: collection) else { continue }
      // gnome-keyring itself remembers a password that a person chose.
      let remembered = try await client.search([ItemAttributes.keyring: file.attribute])
      guard remembered.unlocked.isEmpty, remembered.locked.isEmpty else { continue }
      return Self(label: label, files: try await client.keyringFiles)
    }
    return nil
  }

  /// The result of a check that has found it.
  var result: CheckResult {
    let login = files.path(of: KeyringFiles.login)
    let backup = files.path(of: KeyringFiles.loginBackup)
    return .error(
      .groupUnrecoverable,
      "The collection \(label) is locked, and the login keyring has no password for it: apps can't open it. Its"
        + " publisher is not known.",
      remedy:
        "If you know its password, unlock it in Passwords and Keys; or copy a backup of \(login) to \(backup),"
        + " \(NewLogin.words), unlock that keyring there, and run sso-cache doctor --fix. Where there is none, sign in again after"
        + " sso-cache group reset \(ToolCommand.option("group", label)), with --publisher where the group"
        + " has one; it keeps the keyring's file beside it.")
  }
}
