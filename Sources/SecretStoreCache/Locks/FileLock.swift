// SPDX-License-Identifier: MIT

import Glibc
import KeychainGroupModel
import TokenCacheModel

/// A lock between processes, and between tasks of one process: `flock` on a file that is never deleted.
///
/// The kernel releases the lock when its holder dies, so there are no stale locks.
package struct FileLock: Sendable {
  /// The lock's purpose; for the lock of a record, also a digest of the group and the record key.
  let name: String
  /// The folder of the lock's file; `nil` for the lock folder.
  private let folder: String?

  /// What a lock is for, as the name of its file begins.
  package enum Purpose: String {
    case write
    case refresh
    case repair
    /// The writes of a group without a lock that all its writers share.
    case optimisticWrites = "window"
    /// The writes of the items that are used again.
    case recycledItems = "retired-items"
    /// The creation of any group.
    case groupCreators = "make-group"
    /// The creation of one group, which those that write into it hold shared.
    case groupCreation = "group"
    /// The unlocking of a keyring.
    case unlocking = "unlock"
    /// The changes of the user's grants.
    case grants
    /// The checks that try the lock folder and the keyring.
    case diagnosis = "doctor"
  }

  /// Creates a lock that is for all records and groups; no file is made yet.
  ///
  /// - Parameter folder: The folder of the lock's file; `nil` for the lock folder.
  package init(_ purpose: Purpose, folder: String? = nil) {
    self.init(name: purpose.rawValue, folder: folder)
  }

  /// Creates a lock by the name of its file, without the extension.
  init(name: String, folder: String? = nil) {
    self.name = name
    self.folder = folder
  }

  /// The name of the lock's file: ``name`` with the extension `lock`.
  package var fileName: String { "\(name).lock" }

  /// Whether others may hold the lock at the same time.
  enum Mode {
    /// Nobody else holds it.
    case exclusive
    /// Others may hold it in the same mode.
    case shared
  }

  /// A held lock, which is released with this object.
  package final class Hold: Sendable {
    private let file: Int32

    fileprivate init(file: Int32) { self.file = file }

    /// Unlocks explicitly, since a process that was forked meanwhile may have the same open file.
    deinit {
      flock(file, LOCK_UN)
      close(file)
    }
  }

  /// Runs `body` while holding the lock.
  ///
  /// - Parameters:
  ///   - limit: How long to wait for the lock at most; the deadline of the current call may be earlier.
  ///   - body: The work.
  /// - Throws: `lockTimedOut` when others held the lock until the deadline. `storageFailed` when the lock file can't
  ///   be opened or locked.
  package func run<Outcome>(
    waiting limit: Duration? = nil, _ body: () async throws -> Outcome
  ) async throws -> Outcome {
    let hold = try await hold(.exclusive, waiting: limit)
    defer { withExtendedLifetime(hold) {} }
    return try await body()
  }

  /// Takes the lock.
  ///
  /// - Throws: As ``run(waiting:_:)``.
  func hold(_ mode: Mode, waiting limit: Duration? = nil) async throws -> Hold {
    let limits = [Deadline.remaining, limit, FurtherWaits.lock].compactMap(\.self)
    if let hold = try await acquire(mode, timeout: limits.min() ?? .zero) { return hold }
    let holder = try LockHolder.all().first { $0.file == fileName }
    throw SecretStoreError(
      .lockTimedOut, "\(holder?.description ?? "Another app") held the lock until the deadline.")
  }

  /// Waits for the lock without blocking a thread.
  ///
  /// - Parameter timeout: How long to wait.
  /// - Returns: `nil` when others held the lock until the timeout.
  package func acquire(timeout: Duration) async throws -> Hold? {
    try await acquire(.exclusive, timeout: timeout)
  }

  private func acquire(_ mode: Mode, timeout: Duration) async throws -> Hold? {
    let path = try path()
    let end = ContinuousClock.now + timeout
    var pause = Duration.milliseconds(1)
    while true {
      if let hold = try attempt(path, mode) { return hold }
      if ContinuousClock.now + pause >= end { return nil }
      try await Task.sleep(for: pause)
      pause = min(pause * 2, .milliseconds(20))
    }
  }

  /// Makes the lock's file, so that a disk that fills up can't keep anybody from the lock.
  func makeFile() throws(SecretStoreError) { close(try LockFile.open(path(), O_RDWR)) }

  private func path() throws(SecretStoreError) -> String {
    let folder = if let folder { folder } else { try LockFolder.find().path }
    return "\(folder)/\(fileName)"
  }

  private func attempt(_ path: String, _ mode: Mode) throws(SecretStoreError) -> Hold? {
    let file = try LockFile.open(path, O_RDWR)
    let hold = Hold(file: file)
    guard try LockFile.lock(file, path, mode == .shared ? LOCK_SH : LOCK_EX) else { return nil }
    return isStillAt(path, file) ? hold : nil
  }

  /// Returns whether the path still names the file that was locked.
  private func isStillAt(_ path: String, _ file: Int32) -> Bool {
    var opened = stat()
    var named = stat()
    guard unsafe fstat(file, &opened) == 0, unsafe stat(path, &named) == 0 else { return false }
    return opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
  }
}
