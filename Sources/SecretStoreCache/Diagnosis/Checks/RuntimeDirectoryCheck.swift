// SPDX-License-Identifier: MIT

import Glibc
import KeychainGroupModel

/// Whether the lock files are where every app finds them, and nobody else can write.
struct RuntimeDirectoryCheck: Sendable {
  let surroundings: Surroundings

  static let name = "runtime-directory"

  func find() -> Finding {
    if case .flatpak(let app) = surroundings.sandbox, !SandboxCheck(surroundings: surroundings).sharesLocks {
      return .warning(
        "The lock files of this Flatpak meet nobody's: \(Self.instead).",
        remedy: "flatpak override --user --filesystem=xdg-run/secret-store-cache:create \(app)")
    }
    if case .snap = surroundings.sandbox {
      return .warning(
        "The lock files of a snap meet nobody's: \(Self.instead).",
        remedy: "Install the app as a Debian package or Flatpak; no plug of snapd shares these files.")
    }
    do {
      let folder = try RuntimeDirectory.lockFolder()
      try writeFile(in: folder)
      if folder.hasPrefix("/tmp/"), surroundings.variable("XDG_RUNTIME_DIR")?.hasPrefix("/") != true {
        return .warning(
          "XDG_RUNTIME_DIR is not set; the lock files are in \(folder), where others may not look: \(Self.instead).",
          remedy: GeneralRemedy.runtimeDirectory)
      }
      if let runtime = RuntimeDirectory.runtime,
        !RuntimeDirectory.isOfBus(surroundings.variable("DBUS_SESSION_BUS_ADDRESS"), runtime)
      {
        return .warning(
          "The lock files are in \(folder), and those of the other programs on the bus elsewhere: \(Self.instead).",
          remedy: GeneralRemedy.runtimeDirectory)
      }
      return .ok("The lock files are in \(folder).")
    } catch {
      return .error(.storageFailed, error.detail, remedy: remedy)
    }
  }

  private static let instead =
    "each write is compared and verified instead, and two apps may redeem one token"

  /// A folder that is there can still be on a full disk, or on one that is read-only.
  private func writeFile(in folder: String) throws(SecretStoreError) {
    let path = "\(folder)/doctor-\(getpid())"
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else {
      throw SecretStoreError(.storageFailed, "No file can be made in \(folder) (error \(errno)).")
    }
    close(file)
    unsafe unlink(path)
  }

  private var remedy: String {
    let runtime = surroundings.variable("XDG_RUNTIME_DIR") ?? "/run/user/\(getuid())"
    let folder = "\(runtime)/secret-store-cache"
    let reader = FileReader()
    guard let outer = reader.information(runtime, followsLink: true) else {
      return "mkdir -p -m 700 \(ToolCommand.quoted(runtime))"
    }
    guard let inner = reader.information(folder, followsLink: false) else {
      return outer.st_uid == geteuid()
        ? mendedDisk(runtime) ?? "chmod u+rwx \(ToolCommand.quoted(runtime))"
        : GeneralRemedy.runtimeDirectory
    }
    let name = ToolCommand.quoted(folder)
    if inner.st_mode & S_IFMT != S_IFDIR { return "rm \(name)" }
    if inner.st_uid != geteuid() { return "sudo chown -R \(geteuid()) \(name)" }
    return mendedDisk(folder) ?? "chmod 700 \(name)"
  }

  /// What mends the disk that a folder is on; `nil` when it can be written to.
  private func mendedDisk(_ folder: String) -> String? {
    var system = statvfs()
    guard unsafe statvfs(folder, &system) == 0 else { return nil }
    if system.f_flag & UInt(ST_RDONLY) != 0 {
      return "sudo mount -o remount,rw \(ToolCommand.quoted(folder))"
    }
    return system.f_bavail == 0 ? "Free some space on the disk of \(folder)." : nil
  }
}
