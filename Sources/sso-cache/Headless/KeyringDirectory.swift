// SPDX-License-Identifier: MIT

import Glibc

/// The directory of a keyring that lasts from run to run, held by one run at a time.
///
/// It has `lock`, gnome-keyring's `keyrings`, and while a run lasts the link `session` to its temporary directory.
final class KeyringDirectory {
  /// The path, without links.
  let path: String
  /// The open lock file.
  ///
  /// Whoever works on the keyring has it open: it is free when the last of them has ended, and no sooner.
  let lock: Int32

  /// Makes the directory when there is none, and locks it.
  init(_ given: String) throws(HeadlessFailure) {
    try Self.make(given)
    guard let resolved = unsafe realpath(given, nil) else { throw Self.failure(given) }
    path = unsafe String(cString: resolved)
    unsafe free(resolved)
    try Self.check(path)
    lock = try Self.openLock(path)
    do throws(HeadlessFailure) {
      try acquire()
      if unsafe mkdir("\(path)/keyrings", 0o700) != 0 && errno != EEXIST {
        throw Self.failure("\(path)/keyrings")
      }
      try Self.check("\(path)/keyrings")
    } catch {
      close(lock)
      throw error
    }
  }

  deinit { close(lock) }

  /// Whether the keyring is yet to be made.
  var isNew: Bool { unsafe access("\(path)/keyrings/login.keyring", F_OK) != 0 }

  /// Where the link to the temporary directory of a run is.
  var sessionLink: String { "\(path)/session" }

  /// Where the keyring is when nobody says otherwise.
  static func standard(environment: [String: String]) throws(HeadlessFailure) -> String {
    if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return "\(data)/sso-cache/keyring" }
    if let home = environment["HOME"], home.hasPrefix("/") {
      return "\(home)/.local/share/sso-cache/keyring"
    }
    guard let entry = unsafe getpwuid(geteuid()), let home = unsafe entry.pointee.pw_dir else {
      throw .usage("This user has no home directory.", remedy: "Name the keyring's directory with --keyring.")
    }
    return unsafe "\(String(cString: home))/.local/share/sso-cache/keyring"
  }

  private static func make(_ path: String) throws(HeadlessFailure) {
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

  /// Refuses a directory that others can change.
  private static func check(_ path: String) throws(HeadlessFailure) {
    var information = stat()
    guard unsafe lstat(path, &information) == 0 else { throw failure(path) }
    guard information.st_mode & S_IFMT == S_IFDIR else {
      throw .storage("\(path) is not a directory.", remedy: "Name another one with --keyring.")
    }
    guard information.st_uid == geteuid(), information.st_mode & 0o022 == 0 else {
      throw .storage(
        "\(path) belongs to somebody else, or others can write to it.",
        remedy: "Make it yours alone: chown and chmod 700, or name another one with --keyring.")
    }
  }

  /// Opens the lock file; one that is not there is made in an empty directory only, so that no run ever starts a
  /// second daemon over the keyrings of a desktop session.
  private static func openLock(_ path: String) throws(HeadlessFailure) -> Int32 {
    let name = "\(path)/lock"
    var file = unsafe open(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    if file < 0 && errno == ENOENT {
      // Another run may have made the lock and more since: then it is there now.
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
      // A file system of its own, such as a container's volume, may have been made with the last one.
      if ![".", "..", "lost+found"].contains(name) { return false }
    }
    return true
  }

  /// Takes the lock.
  ///
  /// What a killed run leaves behind ends with it, but a moment later.
  private func acquire() throws(HeadlessFailure) {
    for _ in 0..<Self.patienceMilliseconds / 20 {
      if flock(lock, LOCK_EX | LOCK_NB) == 0 { return }
      guard errno == EWOULDBLOCK || errno == EINTR else { throw Self.failure("\(path)/lock") }
      usleep(20_000)
    }
    throw .inUse(path)
  }

  private static let patienceMilliseconds = 1_000
}
