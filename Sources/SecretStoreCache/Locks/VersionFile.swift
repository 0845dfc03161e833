// SPDX-License-Identifier: MIT

import Glibc
import KeychainGroupModel

/// A version in a shared file, which shows processes whether the data they hold in memory is current.
///
/// A writer stores a new random version before and after each change: first an unsettled one, then a settled one. A
/// writer that dies in between leaves it unsettled.
struct VersionFile: Sendable {
  /// The contents and the identity of a version file; a new file at the same path has other versions.
  struct Version: Hashable, Sendable {
    let file: UInt64
    let value: UInt64

    /// Whether no change is in progress, as far as is known.
    var isSettled: Bool { value & 1 == 0 }
  }

  /// The room that a version takes in the file, in bytes.
  static let size = 8

  let path: String

  /// Creates a version file's path.
  ///
  /// - Parameter name: The file's name in the lock folder.
  /// - Throws: `storageFailed` when there is no usable lock folder.
  init(name: String) throws(SecretStoreError) {
    path = "\(try LockFolder.find().path)/\(name)"
  }

  /// Throws `storageFailed` where the process may write no file that is as large.
  static func requireFileSize() throws(SecretStoreError) {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0, limit.rlim_cur < size
    else { return }
    throw SecretStoreError(
      .storageFailed, "This process may write no files, as ulimit -f says; nothing could be saved.",
      underlying: FileSizeLimit())
  }

  private struct FileSizeLimit: ErrorWithRemedy {
    let remedy = "Raise the limit: ulimit -f in the shell, or LimitFSIZE= in the service's unit."
  }

  /// Returns the current version, or `nil` when the file can't be read.
  ///
  /// An empty file is a settled version: nothing has changed since the file was created.
  func read() -> Version? {
    guard let file = try? LockFile.open(path, O_RDONLY) else { return nil }
    defer { close(file) }
    var info = stat()
    guard unsafe fstat(file, &info) == 0 else { return nil }
    var value: UInt64 = 0
    let count = unsafe pread(file, &value, 8, 0)
    guard count == 8 || count == 0 else { return nil }
    return Version(file: UInt64(info.st_ino), value: value)
  }

  /// Marks a change as in progress.
  func unsettle() throws(SecretStoreError) { try write(.random(in: .min ... .max) | 1) }

  /// Marks a change as in progress for the readers that have mapped the file.
  ///
  /// A file that has no room for a version, on a full disk, is mapped by nobody: a reader takes the room first. Whoever
  /// does so after this call sees the change done, by ``settle()``.
  func unsettleForReaders() throws(SecretStoreError) {
    do {
      try unsettle()
    } catch {
      var info = stat()
      guard unsafe stat(path, &info) == 0, info.st_size < Self.size else { throw error }
    }
  }

  /// Marks a change as done.
  func settle() throws(SecretStoreError) { try write(.random(in: .min ... .max) & ~1) }

  /// Stores a new version, settled or unsettled like the current one, since another change may be in progress.
  func renew() throws(SecretStoreError) {
    if read()?.isSettled == false { try unsettle() } else { try settle() }
  }

  private func write(_ value: UInt64) throws(SecretStoreError) {
    let file = try LockFile.open(path, O_WRONLY)
    defer { close(file) }
    var value = value
    guard unsafe pwrite(file, &value, 8, 0) == 8 else { throw failure }
  }

  private var failure: SecretStoreError {
    SecretStoreError(.storageFailed, "The file \(path) can't be written (error \(errno)).")
  }
}
