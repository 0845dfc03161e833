// SPDX-License-Identifier: MIT

import Glibc
import SecretStoreCache

/// The directory of a keyring that persists between runs.
///
/// One run uses it at a time.
///
/// It contains `lock`, gnome-keyring's `keyrings`, and during a run the symbolic link `session` to the run's temporary
/// directory.
package final class KeyringDirectory {
  /// The path without symbolic links.
  let path: String
  /// The descriptor of the lock file.
  ///
  /// Every process that uses the keyring has it open. The lock is released when the last of them ends.
  let lock: Int32

  /// Creates the directory if it does not exist, and locks it.
  package init(_ given: String) throws(HeadlessFailure) {
    try Self.make(given)
    guard let resolved = unsafe realpath(given, nil) else { throw Self.failure(given) }
    path = unsafe String(cString: resolved)
    unsafe free(resolved)
    try Self.check(path)
    lock = try Self.openLock(path)  // Closed by `deinit`, which also runs when an error is thrown below.
    try acquire()
    if unsafe mkdir("\(path)/keyrings", 0o700) != 0 && errno != EEXIST {
      throw Self.failure("\(path)/keyrings")
    }
    try Self.check("\(path)/keyrings")
  }

  deinit { close(lock) }

  /// Whether the keyring does not exist yet.
  package var isNew: Bool { unsafe access("\(path)/keyrings/login.keyring", F_OK) != 0 }

  /// The path of the symbolic link to a run's temporary directory.
  var sessionLink: String { "\(path)/session" }

  /// Returns the default path of the keyring's directory.
  package static func standard(environment: [String: String]) throws(HeadlessFailure) -> String {
    if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return "\(data)/sso-cache/keyring" }
    if let home = environment["HOME"], home.hasPrefix("/") {
      return "\(home)/.local/share/sso-cache/keyring"
    }
    guard let home = FileOwner.home(of: geteuid()) else {
      throw .usage("This user has no home directory.", remedy: "Name the keyring's directory with --keyring.")
    }
    return "\(home)/.local/share/sso-cache/keyring"
  }

  private static func make(_ path: String) throws(HeadlessFailure) {
    var info = stat()
    // Directories that root creates in another user's home directory would make that user's next run fail.
    if geteuid() == 0, unsafe stat(path, &info) != 0, let owner = FileOwner.foreignOwner(above: path) {
      throw .storage(
        "\(path) would be in a directory of another user, \(FileOwner.name(owner)).",
        remedy: "Run it without sudo, or name another directory with --keyring.")
    }
    var parts = path.split(separator: "/", omittingEmptySubsequences: true)[...]
    var made = path.hasPrefix("/") ? "" : "."
    while let part = parts.popFirst() {
      made += "/\(part)"
      guard unsafe mkdir(made, 0o700) == 0 || errno == EEXIST || errno == EROFS || errno == EACCES else {
        throw failure(made)
      }
    }
  }

  private static func failure(_ path: String) -> HeadlessFailure {
    .storage(
      "\(path) can't be used: \(HeadlessFailure.text(ofError: errno)).",
      remedy: "Check that you may write there, or name another directory with --keyring.")
  }

  /// Throws when others can change the directory.
  private static func check(_ path: String) throws(HeadlessFailure) {
    var information = stat()
    guard unsafe lstat(path, &information) == 0 else { throw failure(path) }
    guard information.st_mode & S_IFMT == S_IFDIR else {
      throw .storage("\(path) is not a directory.", remedy: "Name another one with --keyring.")
    }
    guard information.st_uid == geteuid(), information.st_mode & 0o022 == 0 else {
      throw .storage(
        "\(path) belongs to somebody else, or others can write to it, who may have put another keyring there.",
        remedy: "Name another one with --keyring, or find out who made this one, by ls -ld.")
    }
  }

  /// Opens the lock file.
  ///
  /// A missing lock file is created in an empty directory only. Therefore no run starts a second daemon on the
  /// keyrings of a desktop session.
  private static func openLock(_ path: String) throws(HeadlessFailure) -> Int32 {
    let name = "\(path)/lock"
    var file = unsafe open(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    if file < 0 && errno == ENOENT {
      // Another run may have created the lock file and other files in the meantime. The second attempt then opens it.
      let creation = try isEmpty(path) ? O_CREAT : 0
      file = unsafe open(name, O_RDWR | creation | O_CLOEXEC | O_NOFOLLOW, 0o600)
    }
    if file >= 0 { return file }
    guard errno == ENOENT else { throw failure(name) }
    throw .usage(
      "\(path) holds something else than a keyring of sso-cache run.",
      remedy: "Name a directory of its own with --keyring; it is made when it is missing.")
  }

  private static func isEmpty(_ path: String) throws(HeadlessFailure) -> Bool {
    guard let directory = unsafe opendir(path) else { throw failure(path) }
    defer { unsafe closedir(directory) }
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      // The root of a file system, such as a container's volume, may contain lost+found.
      if ![".", "..", "lost+found"].contains(name) { return false }
    }
    return true
  }

  /// Acquires the lock.
  ///
  /// The daemons of a killed run end shortly after it, so the lock may be held for a moment.
  private func acquire() throws(HeadlessFailure) {
    for _ in 0..<Self.timeoutMilliseconds / 20 {
      if flock(lock, LOCK_EX | LOCK_NB) == 0 { return }
      guard errno == EWOULDBLOCK || errno == EINTR else { throw Self.failure("\(path)/lock") }
      usleep(20_000)
    }
    throw .inUse(path)
  }

  private static let timeoutMilliseconds = 1_000
}
