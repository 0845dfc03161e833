// SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

/// Replaces a file in one step: a reader sees the old content or the new one.
package enum FileReplacement {
  /// Replaces the content of a file, or makes the file.
  ///
  /// The caller holds a lock. The new content is written into a file beside, whose name nobody else has; what a killed
  /// writer left of one is removed.
  ///
  /// - Returns: Whether it succeeded; else `errno` has the reason.
  package static func replace(_ path: String, with bytes: [UInt8], mode: UInt32) -> Bool {
    removeLeftovers(of: path)
    let name = path + marker + String((0..<suffixLength).compactMap { _ in letters.randomElement() })
    let file = unsafe open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { return false }
    defer { close(file) }
    if write(bytes, to: file), fchmod(file, mode) == 0, fsync(file) == 0, unsafe rename(name, path) == 0 {
      return true
    }
    let reason = errno
    _ = unsafe unlink(name)
    errno = reason
    return false
  }

  private static let marker = ".sso-cache-"
  private static let letters = "abcdefghijklmnopqrstuvwxyz0123456789"
  /// Long enough that no person gives such a name.
  private static let suffixLength = 32

  /// Removes files with a name that only ``replace(_:with:mode:)`` gives.
  private static func removeLeftovers(of path: String) {
    guard let slash = path.lastIndex(of: "/") else { return }
    let folder = path[..<slash]
    let prefix = path[path.index(after: slash)...] + marker
    for name in (try? FileManager.default.contentsOfDirectory(atPath: String(folder))) ?? []
    where name.hasPrefix(prefix) && name.utf8.count == prefix.utf8.count + suffixLength {
      _ = unsafe unlink("\(folder)/\(name)")
    }
  }

  private static func write(_ bytes: [UInt8], to file: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
