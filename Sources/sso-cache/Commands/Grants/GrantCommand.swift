// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreAgent
import SecretStoreCache
import StrictJSON

/// The command `sso-cache grant`.
struct GrantCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "grant",
    abstract: "Allow a sandboxed app to use a group that is not its publisher's.",
    discussion: """
      The agent lets a Flatpak or a snap use its own group only, and a Flatpak also the groups that its metadata \
      state under its own publisher. A grant adds a group to that, for this user. It counts from the app's next \
      connection on. Programs outside of a sandbox need none.

      Examples:
        sso-cache grant com.fabrikam.App com.microsoft.adalcache
        sso-cache grant com.fabrikam.App com.contoso.shared --publisher com.contoso
      """)

  @Argument(help: "The app's id, such as com.fabrikam.App.")
  var app: String

  @Argument(help: "The access group.")
  var group: String

  @Option(help: "The group's publisher; none by default.")
  var publisher: String?

  @Flag(help: "Print one JSON document.")
  var json = false

  func run() async throws {
    let app = try AppIdentifier(app)
    let group = try AccessGroup(group, publisher: publisher.map { name throws in try Publisher(name) })
    let isNew = try await GrantStore().grant(group, to: app)
    if json {
      return Printer.json(
        .object([
          "app": .string(app.name), "group": .string(group.name),
          "publisher": .string(group.publisher?.name ?? ""), "added": .bool(isNew),
        ]))
    }
    Printer.line("\(app) may \(isNew ? "now" : "already") use the group \(group).")
  }
}
