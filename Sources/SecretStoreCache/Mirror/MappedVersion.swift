// SPDX-License-Identifier: MIT

import Glibc
import KeychainGroupModel
import Synchronization

/// A version file as a reader keeps it: in memory that it shares with the writers.
///
/// Opening and reading the file takes 7 µs, and looking at the memory a few nanoseconds. Lock files are never deleted
/// while apps run; that somebody did so nevertheless is noticed before a write to the file in its place can be
/// acknowledged.
@safe final class MappedVersion: Sendable {
  private let path: String
  private let device: dev_t
  private let inode: ino_t
  private nonisolated(unsafe) let value: UnsafeMutablePointer<Atomic<UInt64>>
  /// When the path was last seen to name the file, in nanoseconds of the monotonic clock.
  private let lookedAt: Atomic<Int64>

  /// How long the path is believed to name the file, in nanoseconds: less than a round trip to the Secret Service.
  private static let patience: Int64 = 100_000

  private static let size = 8

  /// Opens a version file, and makes it where there is none: an empty one is the version of what nobody has changed.
  ///
  /// - Returns: `nil` when the file can't be had.
  init?(at path: String) {
    let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { return nil }
    defer { close(file) }
    // Room for it, and not only the size: looking at a hole where there is no room left ends the process.
    var info = stat()
    guard posix_fallocate(file, 0, off_t(Self.size)) == 0, unsafe fstat(file, &info) == 0,
      let page = unsafe mmap(nil, Self.size, PROT_READ, MAP_SHARED, file, 0), unsafe page != MAP_FAILED
    else { return nil }
    self.path = path
    device = info.st_dev
    inode = info.st_ino
    unsafe value = page.assumingMemoryBound(to: Atomic<UInt64>.self)
    lookedAt = Atomic(Self.now)
  }

  deinit { unsafe munmap(value, Self.size) }

  /// The version of now; `nil` when the path names another file by now.
  func read() -> VersionFile.Version? {
    let now = Self.now
    if now - lookedAt.load(ordering: .relaxed) > Self.patience {
      guard isStillThere else { return nil }
      lookedAt.store(now, ordering: .relaxed)
    }
    return unsafe VersionFile.Version(file: UInt64(inode), value: value.pointee.load(ordering: .acquiring))
  }

  private var isStillThere: Bool {
    var info = stat()
    return unsafe stat(path, &info) == 0 && info.st_ino == inode && info.st_dev == device
      && info.st_size >= Self.size
  }

  private static var now: Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
