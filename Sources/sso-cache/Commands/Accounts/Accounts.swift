// SPDX-License-Identifier: MIT

import ADALCache
import ArgumentParser
import SecretStoreCache
import StrictJSON

/// The command `sso-cache accounts`.
struct Accounts: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accounts",
    abstract: "List the accounts that are signed in.",
    discussion: """
      Examples:
        sso-cache accounts
        sso-cache accounts --group com.contoso.shared --publisher com.contoso --json
        sso-cache accounts --broker
        sso-cache accounts --hints
      """)

  @OptionGroup var options: GroupOptions

  @Option(
    help: "Only the accounts that this client, or a client of its family, is signed in to.",
    transform: ClientIDArgument.parse)
  var clientID: String?

  @Flag(help: "The accounts of the desktop's identity broker instead of a group's.")
  var broker = false

  @Flag(help: "Those that other tools are signed in to, as the last import --from found them.")
  var hints = false

  func validate() throws {
    if broker && hints { throw ValidationError("Choose --broker or --hints.") }
    if broker, options.group ?? options.publisher ?? options.entitlements != nil {
      throw ValidationError("The broker's accounts belong to no group: leave out the group, or --broker.")
    }
  }

  func run() async throws {
    if broker { return try await listBrokerAccounts() }
    let opened = try options.open()
    if hints { return try await printHints(opened) }
    let listing = try await AccountDirectory(backend: opened.backend, sharesWithADAL: true).listing()
    let accounts: [Account]
    if let clientID {
      accounts = try await TokenCache(opened: opened, clientID: clientID).accounts()
    } else {
      accounts = listing.accounts
    }
    let warning = DamageWarning(damaged: listing.damaged, group: opened.group)
    if options.json {
      var members: JSONObject = ["accounts": .array(accounts.map(\.json))]
      if !listing.damaged.isEmpty { members["damaged"] = .array(warning.members) }
      return Printer.json(.object(members))
    }
    defer { warning.print() }
    let isOfClient = clientID != nil && !listing.accounts.isEmpty
    let nobody = "Nobody is signed in to \(opened.group)\(isOfClient ? " with this client" : "")."
    let others =
      listing.accounts.isEmpty && opened.app == nil ? await sentence(onNamesakesOf: opened.group) : ""
    print(accounts, none: nobody + others)
  }

  /// Returns a sentence that names the publishers of other groups of the same name; empty when there are none.
  private func sentence(onNamesakesOf group: AccessGroup) async -> String {
    let groups = (try? await GroupOptions.store.groups())?.compactMap(\.group) ?? []
    let namesakes = groups.filter { $0.name == group.name && $0 != group }.map { namesake in
      namesake.publisher.map { "with --publisher \($0)" } ?? "without --publisher"
    }
    let others = groups.filter { $0.qualifiedName == group.qualifiedName && $0 != group }.map { other in
      "with " + (other.publisher.map { "--publisher \($0) " } ?? "") + "--group \(other.name)"
    }
    let options = namesakes + others
    if options.isEmpty { return "" }
    return "\nAnother group has this name: list its accounts \(options.joined(separator: ", or "))."
  }

  /// Lists the broker's accounts; no broker is not an error.
  private func listBrokerAccounts() async throws {
    let client = BrokerClient(broker: SessionBusBroker(), clientID: clientID ?? BrokerClient.browserID)
    let found = try await client.accounts()
    let accounts = (found ?? []).map(\.account).sortedByUsername()
    if options.json { return Printer.json(.object(["accounts": .array(accounts.map(\.json))])) }
    print(
      accounts,
      none: found == nil ? "No identity broker is installed." : "The identity broker has no account.")
  }

  private func print(_ accounts: [Account], none: String) {
    Printer.table(
      ["USERNAME", "IDENTIFIER", "ENVIRONMENT", "CLIENTS"],
      accounts.map { account in
        [account.username, account.identifier, account.environment, account.clients.joined(separator: " ")]
      }, whole: ["IDENTIFIER"], none: none)
  }

  private func printHints(_ opened: GroupOptions.Opened) async throws {
    let (hints, damaged) = try await AccountDirectory(backend: opened.backend).readableHints()
    let warning = DamageWarning(damaged: damaged, group: opened.group)
    if options.json {
      let list = hints.map { hint in
        JSONValue.object([
          "username": .string(hint.username), "identifier": .string(hint.identifier),
          "environment": .string(hint.environment), "tenant": .string(hint.tenant),
          "source": .string(hint.source),
        ])
      }
      var members: JSONObject = ["hints": .array(list)]
      if !damaged.isEmpty { members["damaged"] = .array(warning.members) }
      return Printer.json(.object(members))
    }
    defer { warning.print() }
    Printer.table(
      ["USERNAME", "TENANT", "SOURCE"], hints.map { [$0.username, $0.tenant, $0.source] },
      none: "The group has no hints.")
  }
}
