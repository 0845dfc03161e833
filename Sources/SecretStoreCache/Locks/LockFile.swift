// SPDX-License-Identifier: MIT

import Glibc
import KeychainGroupModel

/// Opens files in the lock folder.
///
/// A link is never followed, and opening never blocks.
package enum LockFile {
  /// Opens a file, and creates it when it is missing.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - access: `O_RDONLY`, `O_WRONLY` or `O_RDWR`.
  /// - Throws: `storageFailed` when the file can't be opened, is not a regular file, has another hard link or does
  ///   not belong to this user.
  package static func open(_ path: String, _ access: Int32) throws(SecretStoreError) -> Int32 {
    let file = unsafe Glibc.open(
      path, access | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0o600)
    guard file >= 0 else { throw failure(path, reason(errno)) }
    var info = stat()
    guard unsafe fstat(file, &info) == 0, info.st_mode & S_IFMT == S_IFREG else {
      close(file)
      throw failure(path, "is no regular file")
    }
    // A write would change the other link's file.
    guard info.st_nlink <= 1 else {
      close(file)
      throw failure(path, "has another name, too")
    }
    guard info.st_uid == geteuid() else {
      close(file)
      throw failure(path, "is that of another user, \(FileOwner.name(info.st_uid))")
    }
    // The umask of the process that made it may have taken the owner's rights, which all apps need.
    if info.st_mode & 0o600 != 0o600 { fchmod(file, 0o600) }
    return file
  }

  /// Locks an open file, and does not wait for the lock.
  ///
  /// - Parameters:
  ///   - file: The file's descriptor.
  ///   - path: The file's path, for the error.
  ///   - mode: `LOCK_SH` or `LOCK_EX`.
  /// - Returns: Whether this process has the lock; otherwise another one has it.
  /// - Throws: `storageFailed` when the file's disk has no locks, as some network disks have none.
  package static func lock(_ file: Int32, _ path: String, _ mode: Int32) throws(SecretStoreError) -> Bool {
    if flock(file, mode | LOCK_NB) == 0 { return true }
    if errno == EWOULDBLOCK || errno == EINTR { return false }
    throw failure(path, "can't be locked (error \(errno)): its disk has no locks")
  }

  /// Returns the reason why a file can't be opened, or `nil` when it can; creates the file when it is missing.
  package static func problem(at path: String) -> String? {
    do {
      close(try open(path, O_RDWR))
      return nil
    } catch {
      return error.detail
    }
  }

  private static func failure(_ path: String, _ reason: String) -> SecretStoreError {
    SecretStoreError(.storageFailed, "The lock file \(path) \(reason).")
  }

  private static func reason(_ error: Int32) -> String {
    switch error {
    case EISDIR: "is a directory"
    case ELOOP: "is a link"
    case ENXIO: "is no regular file"
    case EACCES, EPERM: "can't be opened: permission denied"
    case ENOSPC, EDQUOT: "can't be made: there is no space left"
    case EROFS: "can't be made: the disk is read-only"
    default: "can't be opened (error \(error))"
    }
  }
}
