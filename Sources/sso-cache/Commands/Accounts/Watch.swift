// SPDX-License-Identifier: MIT

import ADALCache
import ArgumentParser
import FoundationEssentials
import SecretStoreCache

/// The command `sso-cache watch`.
struct Watch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Show what changes in a group, as it changes.",
    discussion: """
      First what there is, then a line for each change, until it is interrupted. A keyring that is locked or not \
      running is waited for.

      With --json each line is one JSON document; \"change\" is one of snapshot, accountAdded, accountUpdated, \
      accountRemoved, tokensChanged, groupCreated, groupMoved, groupDeleted, groupLocked, groupUnlocked, \
      groupUnrecoverable, unavailable and available.

      Examples:
        sso-cache watch --group com.contoso.shared --publisher com.contoso
        sso-cache watch --json | jq --unbuffered -r .change
      """)

  @OptionGroup var options: GroupOptions

  @Option(
    help: "Only the accounts that this client, or a client of its family, is signed in to.",
    transform: ClientIDArgument.parse)
  var clientID: String?

  func run() async throws {
    let opened = try options.open()
    let changes =
      if let clientID {
        try TokenCache(opened: opened, clientID: clientID).changes()
      } else {
        AccountDirectory(backend: opened.backend, sharesWithADAL: true).changes()
      }
    for await change in changes { show(change, at: Date()) }
    throw CancellationError()
  }

  private func show(_ change: GroupChange, at date: Date) {
    if options.json { return Printer.json(change.json(at: date)) }
    let time = date.formatted(.iso8601)
    if case .snapshot(let snapshot) = change {
      Printer.line("\(time)  \(snapshot.displayText)")
      for account in snapshot.accounts { Printer.line("\(time)    \(account.displayText)") }
    } else {
      Printer.line("\(time)  \(change.displayText)")
    }
  }
}
