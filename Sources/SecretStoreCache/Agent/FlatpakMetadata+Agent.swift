// SPDX-License-Identifier: MIT

extension FlatpakMetadata {
  /// Whether the permissions name the agent, by which an app says that it asks the agent for its groups.
  ///
  /// The permission for the whole bus does not: such an app may have worked without the agent.
  package var namesAgent: Bool { rule(for: AgentInterface.name) != nil }
}
