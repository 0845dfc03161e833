// SPDX-License-Identifier: MIT

import Glibc
import KeychainGroupModel
import SecretStoreCache

/// Lock files of another tool, held so that every way of locking them is excluded.
///
/// MSAL Python and Node create the file exclusively; MSAL.NET and portalocker hold `flock` on it; MSAL Java an
/// fcntl(2) lock. A file that exists is another program's, and is never taken away. A file that a killed process of
/// this tool left is its own: it says so, nobody holds a lock on it, and that process is gone.
package final class PartnerLock {
  /// A lock file.
  package struct File: Sendable, Hashable {
    package let path: String
    /// Whether the tool never removes the file, and locks it with `flock` alone.
    let isKept: Bool

    init(_ path: String, isKept: Bool = false) {
      self.path = path
      self.isKept = isKept
    }

    fileprivate var folder: String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "." }
  }

  private var held: [(file: File, descriptor: Int32)] = []
  private let signals = DeferredSignals()

  private init() {}

  deinit { release() }

  /// How long a lock is waited for, as MSAL Python does.
  static let limit = Duration.seconds(5)

  /// Takes locks in their order; those in folders that don't exist are left out, because no tool uses them.
  ///
  /// Until the release, signals that would end this process wait, since a lock file that is left stops the tool.
  ///
  /// - Throws: `lockTimedOut` when another program has a lock until the limit; `storageFailed` when a lock file is a
  ///   folder or a link, belongs to another user or can't be made. Nothing is held then.
  static func acquire(_ files: [File], within limit: Duration = limit) async throws -> PartnerLock {
    let lock = PartnerLock()
    let end = ContinuousClock.now + limit
    for file in files {
      while try !lock.take(file) {
        if ContinuousClock.now >= end {
          let owner = LockOwner(file.path)
          throw SecretStoreError(
            .lockTimedOut, "It is busy: \(owner.description).",
            underlying: owner.isLeft && !file.isKept ? PartnerProblem.lockFileLeft(file.path) : .busy)
        }
        if lock.signals.hasArrived { throw CancellationError() }
        try await Task.sleep(for: .milliseconds(50))
      }
    }
    return lock
  }

  /// Removes the lock files and releases the locks.
  func release() {
    for (file, descriptor) in held.reversed() {
      if !file.isKept && Self.names(file.path, descriptor) { _ = unsafe unlink(file.path) }
      close(descriptor)
    }
    held = []
    signals.end()
  }

  /// Takes a lock if it is free.
  ///
  /// The file appears with its content and with its locks, or not at all.
  private func take(_ file: File) throws(SecretStoreError) -> Bool {
    // In a folder that does not exist no tool takes a lock.
    let folder = FileReader().information(file.folder, followsLink: true)
    guard let folder, folder.st_mode & S_IFMT == S_IFDIR else { return true }
    if file.isKept { return try takeKept(file) }
    // O_TMPFILE, which Swift's module lacks.
    var descriptor = unsafe open(file.folder, 0o20000000 | O_DIRECTORY | O_RDWR | O_CLOEXEC, 0o600)
    let isNamed = descriptor < 0 && [EOPNOTSUPP, EISDIR, EINVAL].contains(errno)
    if isNamed {
      // A file system without such files, as NFS: a kill before the next lines leaves an empty lock file.
      descriptor = unsafe open(file.path, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0o600)
      if descriptor < 0 && errno == EEXIST {
        try makeWay(file.path)
        return false
      }
    }
    guard descriptor >= 0 else { throw Self.failure(making: file, errno) }
    let mark = Array(LockOwner.ownMark.utf8)
    let isMarked = unsafe Self.lock(descriptor) && pwrite(descriptor, mark, mark.count, 0) == mark.count
    let link = "/proc/self/fd/\(descriptor)"
    if isMarked, unsafe isNamed || linkat(AT_FDCWD, link, AT_FDCWD, file.path, AT_SYMLINK_FOLLOW) == 0 {
      held.append((file, descriptor))
      return true
    }
    let error = errno
    if isNamed { _ = unsafe unlink(file.path) }
    close(descriptor)
    guard isMarked, error == EEXIST else { throw Self.failure(making: file, error) }
    try makeWay(file.path)
    return false
  }

  /// Removes an existing lock file if a killed process of this tool left it.
  private func makeWay(_ path: String) throws(SecretStoreError) {
    try Self.check(path)
    LockOwner(path).removeIfOwnAndLeft()
  }

  /// Takes the lock of a tool that keeps the file.
  private func takeKept(_ file: File) throws(SecretStoreError) -> Bool {
    try Self.check(file.path)
    let descriptor = try LockFile.open(file.path, O_RDWR)
    guard Self.lock(descriptor), Self.names(file.path, descriptor) else {
      close(descriptor)
      return false
    }
    held.append((file, descriptor))
    return true
  }

  /// Takes both kinds of lock on a file.
  static func lock(_ descriptor: Int32) -> Bool {
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return false }
    var whole = Glibc.flock()
    whole.l_type = Int16(F_WRLCK)
    // F_OFD_SETLK, which Swift's module lacks: no other descriptor of the file releases the lock.
    return unsafe fcntl(descriptor, 37, &whole) == 0
  }

  /// Returns whether a path names an open file.
  static func names(_ path: String, _ descriptor: Int32) -> Bool {
    var (opened, named) = (stat(), stat())
    guard unsafe fstat(descriptor, &opened) == 0, unsafe lstat(path, &named) == 0 else { return false }
    return opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
  }

  /// Checks that a lock file that exists can be one.
  private static func check(_ path: String) throws(SecretStoreError) {
    var info = stat()
    guard unsafe lstat(path, &info) == 0 else { return }
    switch info.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw failure(path, "is a directory", .noLockFile(path))
    case S_IFLNK: throw failure(path, "is a link", .noLockFile(path))
    default: throw failure(path, "is no regular file", .noLockFile(path))
    }
    guard info.st_uid == geteuid() else {
      throw failure(path, "is that of another user, \(FileOwner.name(info.st_uid))")
    }
  }

  private static func failure(making file: File, _ error: Int32) -> SecretStoreError {
    guard error == EACCES else { return failure(file.path, "can't be made (error \(error))") }
    return failure(
      file.path, "can't be made: its folder's mode does not let you write there", .closedFolder(file.folder))
  }

  private static func failure(
    _ path: String, _ reason: String, _ problem: PartnerProblem? = nil
  ) -> SecretStoreError {
    SecretStoreError(.storageFailed, "The lock file \(path) \(reason).", underlying: problem)
  }
}
