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
      if FlatpakMetadata(root: surroundings.root).maySpeakToSecretService {
        return .ok("The Flatpak \(app) may talk to the Secret Service.")
      }
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

  /// Whether the Flatpak has the folder of lock files in common with other apps.
  var sharesLocks: Bool { FlatpakMetadata(root: surroundings.root).sharesLocks }

  private var isPlugged: Bool {
    get async {
      let answer = try? await ProgramOutput.text(
        of: ["sh", "-c", "snapctl is-connected password-manager-service && echo yes"])
      return answer == "yes\n"
    }
  }
}
