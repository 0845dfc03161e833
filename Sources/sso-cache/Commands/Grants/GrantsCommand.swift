// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreAgent
import SecretStoreCache
import StrictJSON

/// The command `sso-cache grants`.
struct GrantsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "grants",
    abstract: "List the groups that you and the administrator granted to sandboxed apps.",
    discussion: """
      The administrator's grants are in the files \(GrantStore.administratorFolder)/*.grants, yours in \
      secretstorecache/grants of XDG_CONFIG_HOME. A file that somebody else could have written grants nothing.

      Examples:
        sso-cache grants
        sso-cache grants --json
      """)

  @Flag(help: "Print one JSON document.")
  var json = false

  func run() async throws {
    let store = GrantStore()
    let (grants, problems) = (store.grants(), store.problems())
    if json {
      return Printer.json(
        .object([
          "grants": .array(grants.map(Self.json)),
          "problems": .array(problems.map(Self.json)),
        ]))
    }
    Printer.table(
      ["APP", "GROUP", "PUBLISHER", "GRANTED BY"],
      grants.map { grant in
        [
          grant.app.name, grant.group.name, grant.group.publisher?.name ?? "-",
          grant.source == .user ? "you" : "administrator",
        ]
      }, whole: ["APP", "GROUP", "PUBLISHER"], none: "No group is granted to an app.")
    for problem in problems {
      let place = problem.line.map { ", line \($0)" } ?? ""
      Printer.line("\n\(Printer.printable(problem.path))\(place):")
      Printer.line("  refused: \(Printer.printable(problem.explanation))")
    }
  }

  private static func json(_ grant: InstalledApps.Grant) -> JSONValue {
    .object([
      "app": .string(grant.app.name),
      "group": .string(grant.group.name),
      "publisher": .string(grant.group.publisher?.name ?? ""),
      "source": .string(grant.source.rawValue),
      "path": .string(grant.path),
    ])
  }

  private static func json(_ problem: InstalledApps.Grant.Problem) -> JSONValue {
    .object([
      "path": .string(problem.path),
      "line": problem.line.map { JSONValue(integerLiteral: $0) } ?? .null,
      "explanation": .string(problem.explanation),
    ])
  }
}
