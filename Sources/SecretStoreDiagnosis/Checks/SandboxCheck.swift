// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache

/// A check that the sandbox, if any, permits access to the Secret Service.
struct SandboxCheck: Sendable {
  let environment: DiagnosticEnvironment

  static let name = "sandbox"

  func run() async -> CheckResult {
    switch environment.sandbox {
    case nil: return .ok("Not in a Flatpak or snap.")
    case .flatpak(let app):
      if FlatpakMetadata(root: environment.root).mayTalkToSecretService {
        return .ok("The Flatpak \(app) may talk to the Secret Service.")
      }
      return .error(
        .serviceUnavailable, FlatpakMetadata.missingPermission(of: app),
        remedy: permissionRemedy ?? "")
    case .snap(let snap):
      if await isConnected { return .ok("The snap \(snap) may talk to the Secret Service.") }
      return .error(
        .serviceUnavailable, "The plug password-manager-service of the snap \(snap) is not connected.",
        remedy: permissionRemedy ?? "")
    }
  }

  /// The remedy that grants the permission; `nil` outside of sandboxes.
  var permissionRemedy: String? {
    switch environment.sandbox {
    case nil: nil
    case .flatpak(let app): FlatpakMetadata.permissionRemedy(of: app)
    case .snap(let snap): "sudo snap connect \(snap):password-manager-service"
    }
  }

  private var isConnected: Bool {
    get async {
      let output = try? await ProgramOutput.text(
        of: ["sh", "-c", "snapctl is-connected password-manager-service && echo yes"])
      return output == "yes\n"
    }
  }
}
