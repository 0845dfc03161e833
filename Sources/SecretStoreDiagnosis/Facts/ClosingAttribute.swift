// SPDX-License-Identifier: MIT

import Glibc
import SecretStoreCache

/// An attribute of a file or folder that keeps even its owner from changing it (chattr(1)).
struct ClosingAttribute: Sendable {
  private let path: String

  /// Returns `nil` where there is none, or it can't be seen.
  init?(of path: String) {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var attributes: CLong = 0
    guard unsafe ioctl(file, Self.getAttributes, &attributes) == 0,
      attributes & Self.immutableOrAppendOnly != 0
    else { return nil }
    self.path = path
  }

  /// The command that takes it away.
  var remedy: String { "sudo chattr -ia \(ShellWord.quoted(path))" }

  /// `FS_IOC_GETFLAGS` (ioctl_iflags(2)).
  private static let getAttributes: UInt = 0x8008_6601
  /// `FS_IMMUTABLE_FL` and `FS_APPEND_FL`.
  private static let immutableOrAppendOnly: CLong = 0x30
}
