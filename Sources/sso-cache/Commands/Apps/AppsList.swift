// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache
import StrictJSON

/// The command `sso-cache apps list`.
struct AppsList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the apps that declare groups, and what is wrong with them.",
    discussion: """
      Examples:
        sso-cache apps list
        sso-cache apps list --json
      """)

  @Flag(help: "Print one JSON document.")
  var json = false

  func run() async throws {
    let installed = InstalledApps()
    let apps = installed.catalog().manifests.filter(\.declaresSharing)
    if json { return Printer.json(.object(["apps": .array(apps.map(Self.json))])) }
    Printer.table(
      ["APP", "PUBLISHER", "GROUPS", "SCHEMES", "FOR", "STATE"],
      apps.map { app in
        [
          app.identifier, app.publisher ?? "-", Self.list(app.groups), Self.list(app.redirectSchemes),
          app.isSystemWide ? "everybody" : "you", app.entitlements == nil ? "refused" : "counts",
        ]
      }, whole: ["APP"], styles: ["refused": .red], none: "No app declares a group in its .desktop file.")
    for folder in installed.closedFolders {
      Printer.line(
        "\nwarning: \(Printer.printable(folder)) is no folder, or can't be read: its apps do not count.")
    }
    for app in apps where !app.problems.isEmpty {
      Printer.line("\n\(Printer.printable(app.path)):")
      for problem in app.problems {
        let kind = problem.isRefusal ? "refused: " : ""
        Printer.line("  \(kind)\(Printer.printable(problem.explanation))")
      }
    }
  }

  /// The maximum number of names that a table cell lists.
  private static let maximumNamed = 5

  private static func list(_ names: [String]) -> String {
    if names.isEmpty { return "-" }
    let more = names.count > maximumNamed ? " and \(names.count - maximumNamed) more" : ""
    return names.prefix(maximumNamed).joined(separator: " ") + more
  }

  private static func json(_ app: AppManifest) -> JSONValue {
    .object([
      "id": .string(app.identifier),
      "path": .string(app.path),
      "installed_for": .string(app.isSystemWide ? "everybody" : "user"),
      "publisher": .string(app.publisher ?? ""),
      "groups": .array(app.groups.map(JSONValue.string)),
      "redirect_schemes": .array(app.redirectSchemes.map(JSONValue.string)),
      "counts": .bool(app.entitlements != nil),
      "problems": .array(
        app.problems.map { problem in
          .object([
            "rule": .string(problem.rule.description),
            "explanation": .string(problem.explanation),
            "refused": .bool(problem.isRefusal),
          ])
        }),
    ])
  }
}
