// SPDX-License-Identifier: MIT

import Glibc
package import KeychainGroupModel
import SecretStoreCache

/// Files that another tool owns: read and replaced without following a link.
package enum PartnerFile {
  /// Reads a file.
  ///
  /// - Returns: `nil` when there is none.
  /// - Throws: `invalidFile` when it is a link, no regular file, another user's or larger than 64 MiB, or can't be
  ///   read.
  static func read(_ path: String) throws(SecretStoreError) -> [UInt8]? {
    let read: (bytes: [UInt8], info: stat)
    do throws(FileReader.Refusal) {
      read = try FileReader().contents(path, limit: PartnerContent.maximumBytes, followsLink: false)
    } catch {
      switch error {
      case .failed(ENOENT), .failed(ENOTDIR): return nil
      default: throw SecretStoreError(.invalidFile, "The file \(path) \(error.reason).")
      }
    }
    guard read.info.st_uid == geteuid() else {
      throw SecretStoreError(
        .invalidFile, "The file \(path) is that of another user, \(FileOwner.name(read.info.st_uid)).")
    }
    return read.bytes
  }

  /// Makes the folder of an item's companion file, where its lock file is, too.
  ///
  /// - Throws: `storageFailed` when the companion file could not be touched after the item was written.
  static func prepareCompanion(_ path: String) throws(SecretStoreError) {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "/"
    if FileReader().information(folder, followsLink: true) == nil, !PrivateFolder.make(folder) {
      throw SecretStoreError(.storageFailed, "The folder \(folder) can't be made.")
    }
    guard let info = FileReader().information(path, followsLink: false) else { return }
    guard info.st_mode & S_IFMT == S_IFREG, info.st_uid == geteuid() else {
      throw SecretStoreError(.storageFailed, "The file \(path) is no regular file of this user.")
    }
  }

  /// Replaces a file's content, whole or not at all; the mode stays.
  ///
  /// The caller holds the tool's lock. What a kill leaves of the new content is removed by the next call.
  static func replace(_ path: String, with bytes: [UInt8]) throws(SecretStoreError) {
    var info = stat()
    guard unsafe lstat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG, info.st_uid == geteuid() else {
      throw SecretStoreError(.invalidFile, "The file \(path) was replaced meanwhile.")
    }
    guard FileReplacement.replace(path, with: bytes, mode: info.st_mode & 0o777) else { throw failure(path) }
  }

  /// Returns a file's time of change in nanoseconds since 1970, or `nil` when there is no file.
  static func time(_ path: String) -> Int? {
    FileReader().information(path, followsLink: false).map {
      Int($0.st_mtim.tv_sec) * 1_000_000_000 + Int($0.st_mtim.tv_nsec)
    }
  }

  /// Sets a file's time of change to now, and creates the file when it is missing.
  ///
  /// The time is the system's exact one. With UTIME_NOW the kernel would take its coarse clock, which may be behind the
  /// time at which a tool last read its cache: the tool would never see the change.
  package static func touch(_ path: String) throws(SecretStoreError) {
    // Its mode may let nobody write to it.
    let flags = O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
    let file = unsafe open(path, flags, 0o600)
    guard file >= 0 else { throw failure(path) }
    defer { close(file) }
    var info = stat()
    guard unsafe fstat(file, &info) == 0, info.st_mode & S_IFMT == S_IFREG else {
      throw SecretStoreError(.storageFailed, "The file \(path) is no regular file.")
    }
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    guard unsafe futimens(file, [now, now]) == 0 else { throw failure(path) }
  }

  private static func failure(_ path: String) -> SecretStoreError {
    SecretStoreError(.storageFailed, "The file \(path) can't be written (error \(errno)).")
  }
}
