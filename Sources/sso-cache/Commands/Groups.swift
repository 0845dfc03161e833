// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache
import StrictJSON

/// The command `sso-cache groups`.
struct Groups: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "groups",
    abstract: "List the access groups in the Secret Service.",
    discussion: """
      Examples:
        sso-cache groups
        sso-cache groups --json
      """)

  @OptionGroup var log: LogOptions

  @Flag(help: "Print one JSON document.")
  var json = false

  func run() async throws {
    let groups = try await SecretStore().groups()
    if json {
      return Printer.json(.object(["groups": .array(groups.map(Self.json))]))
    }
    Printer.table(
      ["GROUP", "PUBLISHER", "PLACEMENT", "STATE", "COLLECTION"],
      groups.map { group in
        [
          group.group?.name ?? "?", group.group?.publisher?.name ?? "-", group.placement?.description ?? "-",
          group.isLocked ? "locked" : "unlocked", group.collection,
        ]
      }, whole: ["GROUP", "PUBLISHER"], styles: ["locked": .yellow],
      none: "No access groups yet: an app makes its group with the first sign-in.")
  }

  private static func json(_ group: GroupSummary) -> JSONValue {
    .object([
      "name": group.group.map { .string($0.name) } ?? .null,
      "publisher": .string(group.group?.publisher?.name ?? ""),
      "placement": group.placement.map { .string($0.description) } ?? .null,
      "locked": .bool(group.isLocked),
      "collection": .string(group.collection),
    ])
  }
}
