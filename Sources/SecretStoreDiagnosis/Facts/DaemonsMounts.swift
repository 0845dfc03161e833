// SPDX-License-Identifier: MIT

import Glibc
import SecretStoreCache

/// The folder of keyrings as a keyring daemon sees it that has other mounts than this process: those of its service, or
/// those of the session, which this process's own ones hide.
struct DaemonsMounts: Sendable {
  private let daemon: Int
  private let folder: String
  private let isReadOnly: Bool
  /// Whether the mounts are this process's own: the daemon has those of its parent.
  private let areOwn: Bool

  /// Returns `nil` where the daemon sees what this process sees, or its view can't be seen.
  init?(of daemon: Int, _ folder: String) {
    let seen = "/proc/\(daemon)/root\(folder)"
    guard let own = FileIdentity(folder) else { return nil }
    var system = statvfs()
    guard unsafe access("/proc/\(daemon)/root/", X_OK) == 0 else { return nil }
    if FileIdentity(seen) == own {
      guard UnwritableDisk(of: folder) == nil, unsafe statvfs(seen, &system) == 0,
        system.f_flag & UInt(ST_RDONLY) != 0
      else { return nil }
      isReadOnly = true
    } else {
      isReadOnly = false
    }
    (self.daemon, self.folder) = (daemon, folder)
    let mounts = Self.mounts(of: "\(daemon)")
    areOwn =
      mounts != nil && mounts != Self.mounts(of: "self")
      && mounts == SystemProcess(daemon).parent.flatMap { Self.mounts(of: "\($0)") }
  }

  private static func mounts(of process: String) -> FileIdentity? { FileIdentity("/proc/\(process)/ns/mnt") }

  var result: CheckResult {
    if areOwn {
      return .warning(
        "This process has mounts of its own, and doesn't see the keyring daemon's folder at \(folder): what is said of"
          + " the keyrings' files may be wrong.",
        remedy: "Run it outside of the service or namespace with these mounts.")
    }
    let what =
      isReadOnly ? "can't write to \(folder), which you can" : "has another folder than you at \(folder)"
    return .error(
      .storageFailed, "The keyring daemon, process \(daemon), \(what): its service has mounts of its own.",
      remedy:
        "Take these mounts out of its service, where systemctl --user cat gnome-keyring-daemon names them, as by"
        + " ProtectHome, ReadOnlyPaths or TemporaryFileSystem; then \(NewLogin.words).")
  }
}
