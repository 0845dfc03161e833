// SPDX-License-Identifier: MIT

import Glibc

/// A folder of this user that no other user can write to or replace.
package enum PrivateFolder {
  /// The state of a path.
  package enum State: Hashable {
    case secure
    /// Nothing exists there, or nothing that this user may see.
    case missing
    /// It belongs to another user, others can write to it, or it is not a folder.
    case unusable
  }

  package static func state(of path: String) -> State {
    var info = stat()
    guard unsafe lstat(path, &info) == 0 else { return .missing }
    let isSecure = info.st_mode & S_IFMT == S_IFDIR && info.st_uid == geteuid() && info.st_mode & 0o022 == 0
    return isSecure ? .secure : .unusable
  }

  /// Creates a folder and its missing parents, each with mode 0700.
  ///
  /// All existing parents must belong to root or this user. Whoever can write to a parent could put a folder or a
  /// link of their own in the path.
  ///
  /// - Returns: Whether the folder exists now.
  package static func make(_ path: String) -> Bool {
    var names = path.split(separator: "/").map(String.init)[...]
    guard path.hasPrefix("/"), !names.contains(".."), !names.contains(".") else { return false }
    var missing: [String] = []
    while !names.isEmpty, !exists("/" + names.joined(separator: "/")) {
      missing.insert(names.removeLast(), at: 0)
    }
    guard let above = resolved("/" + names.joined(separator: "/")), isTrustworthy(above) else { return false }
    var folder = unsafe open(above, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
    guard folder >= 0 else { return false }
    defer { close(folder) }
    for name in missing {
      // Another process of this user may create it at the same time.
      guard makeOne(name, in: folder) || errno == EEXIST else { return false }
      let next = unsafe openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
      guard next >= 0 else { return false }
      close(folder)
      folder = next
      var info = stat()
      guard unsafe fstat(folder, &info) == 0, info.st_uid == geteuid(), info.st_mode & 0o022 == 0 else {
        return false
      }
    }
    return true
  }

  /// Creates a folder of mode 0700, whatever the process's umask is.
  ///
  /// - Parameters:
  ///   - path: The folder's path.
  ///   - above: The open folder that a relative path begins at.
  /// - Returns: Whether it was created; else `errno` has the reason.
  static func makeOne(_ path: String, in above: Int32 = AT_FDCWD) -> Bool {
    unsafe mkdirat(above, path, 0o700) == 0 && fchmodat(above, path, 0o700, 0) == 0
  }

  private static func exists(_ path: String) -> Bool {
    var info = stat()
    return unsafe lstat(path, &info) == 0
  }

  /// Returns a path without links, or `nil` when it does not exist.
  package static func resolved(_ path: String) -> String? {
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  /// Returns whether a folder and its parents belong to root or this user, and nobody else can rename their entries.
  private static func isTrustworthy(_ path: String) -> Bool {
    var names = path.split(separator: "/")[...]
    while true {
      var info = stat()
      guard unsafe lstat("/" + names.joined(separator: "/"), &info) == 0, info.st_mode & S_IFMT == S_IFDIR,
        info.st_uid == 0 || info.st_uid == geteuid()
      else { return false }
      // In a sticky folder only the owner of an entry can rename it.
      let isTrustedGroup = info.st_gid == 0 || FileOwner.isPrivateGroup(info.st_gid)
      let others = info.st_mode & (isTrustedGroup ? 0o002 : 0o022)
      guard others == 0 || info.st_mode & mode_t(S_ISVTX) != 0 else { return false }
      if names.popLast() == nil { return true }
    }
  }
}
