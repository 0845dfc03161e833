// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache

/// The command `sso-cache accounts`.
struct Accounts: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accounts",
    abstract: "List the accounts that are signed in.",
    discussion: """
      Examples:
        sso-cache accounts
        sso-cache accounts --group com.contoso.shared --publisher contoso --json
      """)

  @OptionGroup var options: GroupOptions

  @Option(help: "Only the accounts that this client can get a token for silently.")
  var clientID: String?

  func run() async throws {
    let opened = try options.open()
    let accounts: [Account]
    if let clientID {
      accounts = try await TokenCache(person: opened, clientID: clientID).accounts()
    } else {
      accounts = try await AccountDirectory(backend: opened.backend).accounts()
    }
    if options.json { return Printer.json(.object(["accounts": .array(accounts.map(\.json))])) }
    Printer.table(
      ["USERNAME", "IDENTIFIER", "ENVIRONMENT", "CLIENTS"],
      accounts.map { account in
        [account.username, account.identifier, account.environment, account.clients.joined(separator: " ")]
      }, none: "Nobody is signed in to \(opened.backend.group).")
  }
}
