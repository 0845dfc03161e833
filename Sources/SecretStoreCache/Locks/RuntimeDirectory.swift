// SPDX-License-Identifier: MIT

import Glibc
import KeychainGroupModel

/// Where lock files live: a folder of our own in the user's runtime directory, which is private to the user and
/// gone with the session.
enum RuntimeDirectory {
  /// The folder's path; it is made when it is missing.
  ///
  /// Without `XDG_RUNTIME_DIR` it is `/run/user/<uid>`, else a folder in `/tmp` that must be a real directory of
  /// this user with nobody else's rights on it.
  ///
  /// - Throws: `storageFailed` when there is no such folder to be had.
  static func lockFolder() throws(SecretStoreError) -> String {
    if let runtime { return try privateFolder("\(runtime)/secret-store-cache") }
    return try privateFolder("/tmp/secret-store-cache-\(getuid())")
  }

  /// Whether other apps of the user are known to meet this process there: not those outside of its sandbox, nor those
  /// that have a runtime directory when this process has none, or another one.
  ///
  /// - Parameters:
  ///   - facts: What the system says about this process.
  ///   - root: What stands before `/.flatpak-info`.
  ///   - runtime: The user's runtime directory.
  static func isShared(
    by facts: ProcessFacts, root: String = "", runtime: String? = RuntimeDirectory.runtime
  ) -> Bool {
    if facts.environment["SNAP"] != nil { return false }
    if facts.flatpak != .none, !FlatpakMetadata(root: root).sharesLocks { return false }
    guard let runtime else { return false }
    return facts.flatpak != .none || isOfBus(facts.environment["DBUS_SESSION_BUS_ADDRESS"], runtime)
  }

  /// Whether a runtime directory is the one that the session bus is in, where that is the login's.
  ///
  /// A service or a container that is let onto the login's bus and has a directory of its own shares the keyring with the
  /// user's apps, and no lock.
  static func isOfBus(_ address: String?, _ runtime: String, usual: String = usual) -> Bool {
    guard let address, address.split(separator: ",").first == "unix:path=\(usual)/bus" else { return true }
    var own = stat()
    var others = stat()
    guard unsafe stat(runtime, &own) == 0, unsafe stat(usual, &others) == 0 else { return true }
    return own.st_dev == others.st_dev && own.st_ino == others.st_ino
  }

  /// The runtime directory that systemd makes for a user.
  static var usual: String { "/run/user/\(getuid())" }

  /// The user's runtime directory, as the environment or systemd has it.
  static var runtime: String? {
    if let runtime = environment("XDG_RUNTIME_DIR"), runtime.hasPrefix("/") { return runtime }
    return isDirectoryOfOurs(usual) ? usual : nil
  }

  private static func environment(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }

  private static func privateFolder(_ path: String) throws(SecretStoreError) -> String {
    if unsafe mkdir(path, 0o700) == 0 || isDirectoryOfOurs(path) { return path }
    throw SecretStoreError(
      .storageFailed, "The folder for lock files, \(path), can't be made or is not private to this user.")
  }

  static func isDirectoryOfOurs(_ path: String) -> Bool {
    var info = stat()
    guard unsafe lstat(path, &info) == 0 else { return false }
    return info.st_mode & S_IFMT == S_IFDIR && info.st_uid == getuid() && info.st_mode & 0o022 == 0
  }
}
