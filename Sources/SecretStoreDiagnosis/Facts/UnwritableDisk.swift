// SPDX-License-Identifier: MIT

import Glibc
import SecretStoreCache

/// The disk of a folder to which nobody can write.
struct UnwritableDisk: Sendable {
  private enum Cause {
    case readOnly, hasNoFiles, full
  }

  private let folder: String
  private let cause: Cause

  /// Returns `nil` when the disk can be written, or isn't known.
  init?(of folder: String) {
    var system = statvfs()
    guard unsafe statvfs(folder, &system) == 0 else { return nil }
    self.folder = folder
    if system.f_flag & UInt(ST_RDONLY) != 0 {
      cause = .readOnly
    } else if system.f_files > 0 && system.f_favail == 0 {
      cause = .hasNoFiles
    } else if system.f_blocks > 0 && system.f_bavail == 0 {
      cause = .full
    } else {
      return nil
    }
  }

  var isReadOnly: Bool { cause == .readOnly }

  /// The state of the disk, as a sentence.
  var detail: String {
    switch cause {
    case .readOnly: "The disk of \(folder) is read-only."
    case .hasNoFiles: "The disk of \(folder) can have no more files."
    case .full: "The disk of \(folder) is full."
    }
  }

  /// The step by which the disk can be written.
  var remedy: String {
    switch cause {
    case .readOnly: "sudo mount -o remount,rw \(ShellWord.quoted(mountPoint ?? folder))"
    case .hasNoFiles: "Remove some files on the disk of \(folder): it can have no more of them."
    case .full: "Free some space on the disk of \(folder)."
    }
  }

  private var mountPoint: String? {
    MountTable.point(of: folder)
  }
}
