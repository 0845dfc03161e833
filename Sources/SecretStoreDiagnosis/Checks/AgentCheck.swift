// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache

/// A check that the agent is there for apps in sandboxes, outside of one.
struct AgentCheck {
  let bus: SessionBus
  /// The permissions of the installed Flatpaks.
  let flatpaks: [FlatpakMetadata]

  static let name = "agent"

  func run() async throws -> CheckResult {
    let isThere = try await isThere()
    let users = flatpaks.filter { !$0.statedGroups.isEmpty }
    for user in users {
      guard let app = user.app, let option = user.optionAgainstTalking(to: ServiceHandle.busName) else {
        continue
      }
      return .warning(
        "The Flatpak \(app) may also talk to the Secret Service, so that the agent keeps no group from it.",
        remedy: "flatpak override --user \(ShellWord.quoted(option)) \(app)")
    }
    if isThere { return .ok("The agent serves apps in sandboxes.") }
    if let app = users.first?.app {
      return .warning(
        "The Flatpak \(app) asks the agent for its groups, and the agent is not installed.",
        remedy: "Install SecretStoreCache with Scripts/install.")
    }
    return .ok("The agent is not installed; no installed Flatpak asks for it.")
  }

  private func isThere() async throws -> Bool {
    if try await bus.hasOwner(AgentInterface.name) { return true }
    return try await bus.activatableNames().contains(AgentInterface.name)
  }
}
