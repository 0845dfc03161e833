// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Whether a sandbox lets this process talk to the Secret Service.
struct SandboxCheck: Sendable {
  let surroundings: Surroundings

  static let name = "sandbox"

  func find() async -> Finding {
    switch surroundings.sandbox {
    case nil: return .ok("Not in a Flatpak or snap.")
    case .flatpak(let app):
      if maySpeak { return .ok("The Flatpak \(app) may talk to the Secret Service.") }
      return .error(
        .serviceUnavailable, "The Flatpak \(app) lacks the permission to talk to org.freedesktop.secrets.",
        remedy: permissionRemedy ?? "")
    case .snap(let snap):
      if await isPlugged { return .ok("The snap \(snap) may talk to the Secret Service.") }
      return .error(
        .serviceUnavailable, "The plug password-manager-service of the snap \(snap) is not connected.",
        remedy: permissionRemedy ?? "")
    }
  }

  /// What gives the permission; `nil` outside of sandboxes.
  var permissionRemedy: String? {
    switch surroundings.sandbox {
    case nil: nil
    case .flatpak(let app): "flatpak override --user --talk-name=\(ServiceHandle.busName) \(app)"
    case .snap(let snap): "sudo snap connect \(snap):password-manager-service"
    }
  }

  private var metadata: KeyFile? {
    guard let (bytes, _) = try? FileReader().contents("\(surroundings.root)/.flatpak-info", limit: 1_048_576)
    else { return nil }
    return try? KeyFile(parsing: bytes)
  }

  /// Whether the Flatpak's permissions have the Secret Service in them (flatpak-metadata(5)).
  private var maySpeak: Bool {
    guard let metadata else { return false }
    if (try? metadata.list("sockets", in: "Context"))?.contains("session-bus") == true { return true }
    let names = [ServiceHandle.busName, "org.freedesktop.*"]
    return names.contains { name in
      let policy = try? metadata.string(name, in: "Session Bus Policy")
      return policy == "talk" || policy == "own"
    }
  }

  /// Whether the Flatpak has the folder of lock files in common with other apps.
  var sharesLocks: Bool {
    let folders = (try? metadata?.list("filesystems", in: "Context")) ?? []
    return folders.contains { folder in
      let path = folder.split(separator: ":").first.map(String.init) ?? ""
      return ["xdg-run/secret-store-cache", "xdg-run"].contains(path) && !folder.hasSuffix(":ro")
    }
  }

  private var isPlugged: Bool {
    get async {
      let answer = try? await ProgramOutput.text(
        of: ["sh", "-c", "snapctl is-connected password-manager-service && echo yes"])
      return answer == "yes\n"
    }
  }
}
