// SPDX-License-Identifier: MIT

import Glibc
import KeychainGroupModel
import Synchronization

/// A version file mapped into the memory of a reader and shared with the writers.
///
/// To open and read the file takes 7 µs, and to read the memory a few nanoseconds. Lock files are not deleted while
/// apps run. If one is deleted nevertheless, that is noticed before a write that uses the new file can be
/// acknowledged.
@safe final class MappedVersion: Sendable {
  private let path: String
  private let device: dev_t
  private let inode: ino_t
  private nonisolated(unsafe) let value: UnsafeMutablePointer<Atomic<UInt64>>
  /// The last check that the path names the mapped file, in nanoseconds of the monotonic clock.
  private let checkedAt: Atomic<Int64>

  /// The time for which such a check is valid, in nanoseconds; it is less than a round trip to the Secret Service.
  private static let checkInterval: Int64 = 100_000

  private static let size = VersionFile.size

  /// Maps a version file, and creates it when it is missing.
  ///
  /// - Returns: `nil` when the file can't be opened or mapped.
  init?(at path: String) {
    guard let file = try? LockFile.open(path, O_RDWR) else { return nil }
    defer { close(file) }
    // Allocate the space, and don't only set the size. Without free space, reading a hole would kill the process.
    var info = stat()
    guard posix_fallocate(file, 0, off_t(Self.size)) == 0, unsafe fstat(file, &info) == 0,
      let page = unsafe mmap(nil, Self.size, PROT_READ, MAP_SHARED, file, 0), unsafe page != MAP_FAILED
    else { return nil }
    self.path = path
    device = info.st_dev
    inode = info.st_ino
    unsafe value = page.assumingMemoryBound(to: Atomic<UInt64>.self)
    checkedAt = Atomic(Self.now)
  }

  deinit { unsafe munmap(value, Self.size) }

  /// Returns the current version, or `nil` when the path names another file by now.
  func read() -> VersionFile.Version? {
    let now = Self.now
    if now - checkedAt.load(ordering: .relaxed) > Self.checkInterval {
      guard isCurrent else { return nil }
      checkedAt.store(now, ordering: .relaxed)
    }
    return unsafe VersionFile.Version(file: UInt64(inode), value: value.pointee.load(ordering: .acquiring))
  }

  private var isCurrent: Bool {
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
