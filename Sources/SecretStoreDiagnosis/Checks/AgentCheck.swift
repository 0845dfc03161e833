// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache

/// A check that the agent is there for apps in sandboxes, outside of one.
struct AgentCheck {
  let bus: SessionBus
  /// The permissions of the installed Flatpaks.
  let flatpaks: [FlatpakMetadata]
  let grantProblems: [GrantProblem]
  /// The time limit for the agent's reply.
  let limit: Duration

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
    if isThere {
      let reply = await reply()
      guard reply.status == .ok, let problem = grantProblems.first else { return reply }
      let place = problem.line.map { ", line \($0)" } ?? ""
      return .warning(
        "The agent grants nothing by \(problem.path)\(place): \(problem.explanation)", remedy: problem.remedy)
    }
    if let app = users.first?.app {
      return .warning(
        "The Flatpak \(app) asks the agent for its groups, and the agent is not installed.",
        remedy: Self.install)
    }
    return .ok("The agent is not installed; no installed Flatpak asks for it.")
  }

  /// Returns the result for an agent that runs, or that D-Bus starts.
  private func reply() async -> CheckResult {
    do {
      try await Deadline.run(within: limit) {
        try await bus.ping(AgentInterface.name, path: AgentInterface.path)
      }
    } catch {
      let busError = error as? BusError
      if (busError?.storeError ?? error as? SecretStoreError)?.code == .timedOut {
        let process = try? await bus.process(ofOwner: AgentInterface.name)
        return .warning(
          "The agent, which serves apps in sandboxes, does not reply.",
          remedy: process.map { GeneralRemedy.ending($0, with: "kill -KILL") } ?? Self.install)
      }
      // Any other reply shows that it runs.
      if busError?.meaning != .noSuchObject {
        return .warning(
          "D-Bus can't start the agent, which serves apps in sandboxes\(busError.map { " (\($0))" } ?? "").",
          remedy: Self.install)
      }
    }
    return .ok("The agent serves apps in sandboxes.")
  }

  private static let install = "Install SecretStoreCache with Scripts/install."

  private func isThere() async throws -> Bool {
    if try await bus.hasOwner(AgentInterface.name) { return true }
    return try await bus.activatableNames().contains(AgentInterface.name)
  }
}
