// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache
import TokenCacheModel

/// A check that the agent opens a group for this app, in a sandbox.
struct AgentGroupCheck: Sendable {
  let backend: AgentBackend
  let sandbox: DiagnosticEnvironment.Sandbox

  func run() async throws -> CheckResult {
    let group = backend.group
    do {
      guard try await backend.isReachable() else {
        return .error(
          .serviceUnavailable, "The sandbox may talk to the agent, and there is none.", remedy: Self.outside)
      }
    } catch SecretStoreError.Code.notEntitled {
      return .error(
        .notEntitled, "The agent does not open the group \(group) for \(sandbox.name).",
        remedy: "Outside of the sandbox: \(ToolCommand.grant(group, to: sandbox.name))")
    }
    switch await backend.watch().observe([.all(.credentials)]).state {
    case .open, .absent: return .ok("The agent opens the group \(group) for \(sandbox.name).")
    case .locked:
      return .error(.groupLocked, "The group \(group) is locked.", remedy: Self.outside)
    case .unrecoverable:
      return .error(.groupUnrecoverable, "The password of the group \(group) is lost.", remedy: Self.outside)
    case .unavailable:
      return .error(.serviceUnavailable, "The agent can't use the Secret Service.", remedy: Self.outside)
    }
  }

  private static let outside = "Run sso-cache doctor outside of the sandbox: it finds the cause there."
}
