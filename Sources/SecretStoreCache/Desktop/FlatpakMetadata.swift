// SPDX-License-Identifier: MIT

/// What Flatpak says of the sandbox that this process is in (flatpak-metadata(5)).
struct FlatpakMetadata {
  private let file: KeyFile?

  /// - Parameter root: What stands before `/.flatpak-info`; empty for this process's own.
  init(root: String = "") {
    file = (try? FileReader().contents("\(root)/.flatpak-info", limit: 1_048_576))
      .flatMap { try? KeyFile(parsing: $0.0) }
  }

  /// Whether its permissions have the Secret Service in them.
  var maySpeakToSecretService: Bool {
    guard let file else { return false }
    if (try? file.list("sockets", in: "Context"))?.contains("session-bus") == true { return true }
    return [ServiceHandle.busName, "org.freedesktop.*"].contains { name in
      let policy = try? file.string(name, in: "Session Bus Policy")
      return policy == "talk" || policy == "own"
    }
  }

  /// Whether it has the folder of lock files in common with other apps.
  var sharesLocks: Bool {
    let folders = (try? file?.list("filesystems", in: "Context")) ?? []
    return folders.contains { folder in
      let path = folder.split(separator: ":").first.map(String.init) ?? ""
      return ["xdg-run/secret-store-cache", "xdg-run"].contains(path) && !folder.hasSuffix(":ro")
    }
  }
}
