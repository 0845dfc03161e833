// SPDX-License-Identifier: MIT

import Glibc
import KeychainGroupModel

/// The folder for lock files: a folder of this library in the user's runtime directory, which all apps of the login
/// share.
///
/// Without a runtime directory, or where this folder is read-only, it is a folder in the user's home. No other user
/// can create that first. It is unknown which processes use the home folder, so locks there count as not shared.
package struct LockFolder: Hashable, Sendable {
  /// The folder's name in the runtime directory.
  package static let name = "secret-store-cache"

  package let path: String
  /// Whether the folder is in the runtime directory.
  package let isInRuntimeDirectory: Bool

  /// Returns the folder, and creates it when it is missing.
  ///
  /// - Throws: `storageFailed` when there is no usable folder, or the runtime directory belongs to another user.
  package static func find() throws(SecretStoreError) -> LockFolder {
    if let runtime = RuntimeDirectory.path, try RuntimeDirectory.isUsable(runtime) {
      let path = "\(runtime)/\(name)"
      let isMade = PrivateFolder.makeOne(path)
      let error = errno
      if isMade || error != EROFS {
        guard isMade || PrivateFolder.state(of: path) == .secure else {
          throw [ENOSPC, EDQUOT].contains(error) ? withoutRoom(path) : unusable(path)
        }
        if unsafe access(path, W_OK) == 0 { return LockFolder(path: path, isInRuntimeDirectory: true) }
        guard errno == EROFS else { throw unusable(path) }
      }
    }
    return try inHome()
  }

  /// Returns the folder for processes without a runtime directory.
  private static func inHome() throws(SecretStoreError) -> LockFolder {
    guard let path = pathInHome else {
      throw SecretStoreError(
        .storageFailed,
        "There is no folder for lock files: neither XDG_RUNTIME_DIR nor HOME is set to an absolute path.")
    }
    switch PrivateFolder.state(of: path) {
    case .secure: break
    case .missing: guard PrivateFolder.make(path) else { throw unusable(path) }
    case .unusable: throw unusable(path)
    }
    return LockFolder(path: path, isInRuntimeDirectory: false)
  }

  /// The path of the folder in the user's home, in the state directory (XDG Base Directory Specification).
  package static var pathInHome: String? {
    if let state = RuntimeDirectory.environment("XDG_STATE_HOME"), state.hasPrefix("/") {
      return "\(state)/\(name)"
    }
    guard let home = RuntimeDirectory.environment("HOME"), home.hasPrefix("/") else { return nil }
    return "\(home)/.local/state/\(name)"
  }

  private static func withoutRoom(_ path: String) -> SecretStoreError {
    SecretStoreError(
      .storageFailed, "The folder for lock files, \(path), can't be made: there is no space left.")
  }

  private static func unusable(_ path: String) -> SecretStoreError {
    SecretStoreError(
      .storageFailed, "The folder for lock files, \(path), can't be made or is not private to this user.")
  }
}
