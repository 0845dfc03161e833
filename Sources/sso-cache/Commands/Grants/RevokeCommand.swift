// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreAgent
import SecretStoreCache
import StrictJSON

/// The command `sso-cache revoke`.
struct RevokeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke",
    abstract: "Take back a grant of an app, or all of them; none at all is no error.",
    discussion: """
      It takes back what sso-cache grant gave. It counts from the app's next connection on. What the administrator \
      granted stays.

      Examples:
        sso-cache revoke com.fabrikam.App com.contoso.shared --publisher com.contoso
        sso-cache revoke com.fabrikam.App
      """)

  @Argument(help: "The app's id, such as com.fabrikam.App.")
  var app: String

  @Argument(help: "The access group; all of the app's grants by default.")
  var group: String?

  @Option(help: "The group's publisher; none by default.")
  var publisher: String?

  @Flag(help: "Print one JSON document.")
  var json = false

  func validate() throws {
    if group == nil && publisher != nil {
      throw ValidationError("The publisher belongs to a group: name the group, too.")
    }
  }

  func run() async throws {
    let app = try AppIdentifier(app)
    let publisher = try publisher.map { name throws in try Publisher(name) }
    let group = try group.map { name throws in try AccessGroup(name, publisher: publisher) }
    let store = GrantStore()
    let revoked = try await store.revoke(group, from: app).sorted { "\($0)" < "\($1)" }
    let kept = store.grants().filter { grant in
      grant.source == .administrator && grant.app == app && (group == nil || grant.group == group)
    }
    if let grant = kept.first {
      let done = revoked.isEmpty ? "" : "Your grants are taken back, but "
      throw SecretStoreError(
        .invalidArgument,
        "\(done)\(app) may \(revoked.isEmpty ? "" : "still ")use the group \(grant.group) by the"
          + " administrator's file \(grant.path), which only the administrator can change.")
    }
    if json {
      return Printer.json(
        .object([
          "revoked": .array(
            revoked.map { group in
              .object([
                "group": .string(group.name), "publisher": .string(group.publisher?.name ?? ""),
              ])
            })
        ]))
    }
    if revoked.isEmpty { Printer.line("There is no such grant; nothing to do.") }
    for group in revoked {
      Printer.line("\(app) may no longer use the group \(group) by a grant.")
    }
  }
}
