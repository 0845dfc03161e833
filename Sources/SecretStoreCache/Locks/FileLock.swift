// SPDX-License-Identifier: MIT

import Glibc
import KeychainGroupModel

/// A lock between processes, and between tasks of one process: `flock` on a file that is never deleted.
///
/// The kernel knows who holds it, so a holder that dies lets go of it and nothing is ever "stale".
struct FileLock: Sendable {
  /// What the lock is for; a digest of it is the file's name.
  let name: String

  /// The file's name in the folder for locks.
  var fileName: String { "\(name).lock" }

  /// Holds the lock until it is let go of.
  final class Hold: Sendable {
    private let file: Int32

    fileprivate init(file: Int32) { self.file = file }

    /// Also lets go of it in a process that was forked meanwhile and has the same open file.
    deinit {
      flock(file, LOCK_UN)
      close(file)
    }
  }

  /// Runs `body` while holding the lock.
  ///
  /// - Throws: `leaseTimedOut` when others held the lock until the deadline.
  func run<Outcome>(_ body: () async throws -> Outcome) async throws -> Outcome {
    guard let hold = try await acquire(patience: Deadline.remaining) else {
      throw SecretStoreError(.leaseTimedOut, "Another app held the write lock until the deadline.")
    }
    defer { withExtendedLifetime(hold) {} }
    return try await body()
  }

  /// Waits for the lock without blocking a thread; `nil` when it was not to be had in time.
  func acquire(patience: Duration) async throws -> Hold? {
    let path = "\(try RuntimeDirectory.lockFolder())/\(fileName)"
    let end = ContinuousClock.now + patience
    var pause = Duration.milliseconds(1)
    while true {
      if let hold = try attempt(path) { return hold }
      if ContinuousClock.now + pause >= end { return nil }
      try await Task.sleep(for: pause)
      pause = min(pause * 2, .milliseconds(20))
    }
  }

  private func attempt(_ path: String) throws(SecretStoreError) -> Hold? {
    let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else {
      throw SecretStoreError(.storageFailed, "The lock file \(path) can't be opened (error \(errno)).")
    }
    let hold = Hold(file: file)
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else { return nil }
    return isStillAt(path, file) ? hold : nil
  }

  /// Whether the path still names the file that was locked.
  private func isStillAt(_ path: String, _ file: Int32) -> Bool {
    var opened = stat()
    var named = stat()
    guard unsafe fstat(file, &opened) == 0, unsafe stat(path, &named) == 0 else { return false }
    return opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
  }
}
