// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache
import StrictJSON

/// The command `sso-cache agent status`.
struct AgentStatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show who is connected to the agent, and whom it refused.",
    discussion: """
      It shows apps, groups and reasons, and no account. It does not start the agent.

      Examples:
        sso-cache agent status
        sso-cache agent status --json
      """)

  @Flag(help: "Print one JSON document.")
  var json = false

  func run() async throws {
    let status = try await AgentStatus.read()
    if json { return Printer.json(Self.json(status)) }
    guard let status else { return Printer.line("The agent does not run; it starts when an app calls it.") }
    Printer.table(
      ["CALLER", "GROUP", "CONNECTIONS"],
      status.connections.map { [Printer.printable($0.caller), Printer.printable($0.group), "\($0.count)"] },
      whole: ["CALLER", "GROUP"], none: "Nobody is connected.")
    for refusal in status.refusals {
      Printer.line(
        "\nRefused \(refusal.count == 1 ? "once" : "\(refusal.count) times"): \(Printer.printable(refusal.caller))"
      )
      Printer.line("  \(Printer.printable(refusal.reason))")
    }
  }

  private static func json(_ status: AgentStatus?) -> JSONValue {
    .object([
      "running": .bool(status != nil),
      "connections": .array(
        (status?.connections ?? []).map {
          .object([
            "caller": .string($0.caller), "group": .string($0.group), "count": .number(JSONNumber($0.count)),
          ])
        }),
      "refusals": .array(
        (status?.refusals ?? []).map {
          .object([
            "caller": .string($0.caller), "reason": .string($0.reason),
            "count": .number(JSONNumber($0.count)),
          ])
        }),
    ])
  }
}

/// The command `sso-cache agent`.
struct AgentCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "agent",
    abstract: "Show what the agent does, which opens groups for apps in sandboxes.",
    discussion: """
      Examples:
        sso-cache agent status
      """,
    subcommands: [AgentStatusCommand.self])
}
