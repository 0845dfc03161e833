// SPDX-License-Identifier: MIT

import Glibc
import KeychainGroupModel

/// The user's runtime directory, which is private to the user and deleted at the end of the session.
package enum RuntimeDirectory {
  /// The directory that systemd creates for a user.
  package static var usual: String { "/run/user/\(getuid())" }

  /// The user's runtime directory: `XDG_RUNTIME_DIR`, or else the directory of systemd.
  static var path: String? {
    if let runtime = environment("XDG_RUNTIME_DIR"), runtime.hasPrefix("/") { return runtime }
    return PrivateFolder.state(of: usual) == .secure ? usual : nil
  }

  /// Returns whether a runtime directory can be used; creates it when it is missing, which snapd leaves to its apps.
  ///
  /// - Returns: `false` when it can't be created, is not a directory, or belongs to root and so to no session.
  /// - Throws: `storageFailed` when it belongs to another user. Files that are created there would be in that user's
  ///   way.
  package static func isUsable(_ path: String) throws(SecretStoreError) -> Bool {
    var info = stat()
    if unsafe stat(path, &info) != 0 {
      if let owner = FileOwner.foreignOwner(above: path) { throw refusal(of: path, owner) }
      return PrivateFolder.make(path)
    }
    if info.st_uid == geteuid() { return info.st_mode & S_IFMT == S_IFDIR }
    if info.st_uid == 0 { return false }
    throw refusal(of: path, info.st_uid)
  }

  private static func refusal(of path: String, _ owner: uid_t) -> SecretStoreError {
    SecretStoreError(
      .storageFailed,
      "The runtime directory \(path) is that of another user, \(FileOwner.name(owner)), and is left alone.")
  }

  static func environment(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }
}
