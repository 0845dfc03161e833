// SPDX-License-Identifier: MIT

extension FlatpakMetadata {
  /// Whether the sandbox's permissions include the Secret Service.
  package var mayTalkToSecretService: Bool { mayTalk(to: ServiceHandle.busName) }

  /// The Flatpak that this process is in, if it may not talk to the Secret Service; `nil` when it may, or outside a
  /// Flatpak.
  static var appWithoutSecretService: String? {
    guard case .app(let app) = SystemProcessFacts().processFacts().flatpak,
      !FlatpakMetadata().mayTalkToSecretService
    else { return nil }
    return app
  }

  /// Returns a sentence about the permission that a Flatpak lacks.
  package static func missingPermission(of app: String) -> String {
    "The Flatpak \(app) lacks the permission to talk to \(ServiceHandle.busName), which is one to read every open keyring."
  }

  /// Returns the command that grants the permission.
  package static func permissionRemedy(of app: String) -> String {
    "flatpak override --user --talk-name=\(ServiceHandle.busName) \(app)"
  }
}
