// SPDX-License-Identifier: MIT

import Glibc
import KeychainGroupModel

/// A version in a shared file, by which processes know whether what they keep in memory is still true.
///
/// Whoever changes the thing that it is of writes a new random version: an unsettled one before, and a settled one when
/// the change is done. A writer that dies in between leaves it unsettled.
struct VersionFile: Sendable {
  /// What stood in the file; another file of the same name has other versions.
  struct Version: Hashable, Sendable {
    let file: UInt64
    let value: UInt64

    /// Whether no change is under way, as far as anybody has told.
    var isSettled: Bool { value & 1 == 0 }
  }

  let path: String

  /// - Parameter name: The file's name in the folder for locks.
  /// - Throws: `storageFailed` when there is no such folder to be had.
  init(name: String) throws(SecretStoreError) {
    path = "\(try RuntimeDirectory.lockFolder())/\(name)"
  }

  /// The version of now; `nil` when the file can't be read.
  ///
  /// An empty file is a settled version: nobody has changed anything since the session began.
  func read() -> Version? {
    let file = unsafe open(path, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var info = stat()
    guard unsafe fstat(file, &info) == 0 else { return nil }
    var value: UInt64 = 0
    let count = unsafe pread(file, &value, 8, 0)
    guard count == 8 || count == 0 else { return nil }
    return Version(file: UInt64(info.st_ino), value: value)
  }

  /// Says that a change is under way.
  func unsettle() throws(SecretStoreError) { try write(.random(in: .min ... .max) | 1) }

  /// Says that a change is done.
  func settle() throws(SecretStoreError) { try write(.random(in: .min ... .max) & ~1) }

  /// Says that something was changed, and leaves open whether a change is under way: another's may be.
  func renew() throws(SecretStoreError) {
    if read()?.isSettled == false { try unsettle() } else { try settle() }
  }

  private func write(_ value: UInt64) throws(SecretStoreError) {
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw failure }
    defer { close(file) }
    var value = value
    guard unsafe pwrite(file, &value, 8, 0) == 8 else { throw failure }
  }

  private var failure: SecretStoreError {
    SecretStoreError(.storageFailed, "The file \(path) can't be written (error \(errno)).")
  }
}
