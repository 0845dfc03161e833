// SPDX-License-Identifier: MIT

import ArgumentParser
import FoundationEssentials
import SecretStoreCache
import StrictJSON

/// The command `sso-cache secret list`.
struct SecretList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List what is stored, without the secrets.",
    discussion: """
      Where one of an app's groups can't be read, the list has what is in the others, and the command fails with an \
      error that names the group. With --json it prints the error only.

      Examples:
        sso-cache secret list
        sso-cache secret list --service imap.contoso.com --json
      """)

  @OptionGroup var options: GroupOptions

  @Option(help: "Only the secrets of this service.")
  var service: String?

  func run() async throws {
    let secrets = try options.openSecrets()
    let (listing, uncorrected) = try await listing(of: secrets)
    let warnings = listing.damaged.map { DamageWarning(damaged: $1, group: $0) }.sorted { $0.what < $1.what }
    let failure = listing.failure ?? uncorrected
    if let failure, options.json || listing.items.isEmpty { throw failure }
    if options.json {
      var members: JSONObject = ["secrets": .array(listing.items.map(Self.json))]
      if !warnings.isEmpty { members["damaged"] = .array(warnings.flatMap(\.members)) }
      Printer.json(.object(members))
    } else {
      Printer.table(
        ["SERVICE", "ACCOUNT", "LABEL", "GROUP"],
        listing.items.map { [$0.service, $0.account, $0.label ?? "", $0.group.name] },
        whole: ["SERVICE", "ACCOUNT"], none: "There are no secrets.")
      for warning in warnings { warning.print() }
    }
    if let failure { throw failure }
  }

  /// Lists also the items to which another program has given other attributes: `secret get` prints them.
  ///
  /// - Returns: The list, and the error of the items whose attributes can't be corrected.
  private func listing(of secrets: AppSecrets) async throws -> (AppSecrets.Listing, SecretStoreError?) {
    let listing = try await secrets.listing(service: service, from: options.group)
    if listing.failure != nil { return (listing, nil) }
    var isChanged = false
    do {
      for group in try secrets.groups(named: options.group) {
        isChanged = try await GroupOptions.store.correctAttributesOfSecrets(in: group) || isChanged
      }
    } catch let error as SecretStoreError {
      return (listing, error)
    }
    return (isChanged ? try await secrets.listing(service: service, from: options.group) : listing, nil)
  }

  private static func json(_ item: SecretItem) -> JSONValue {
    func seconds(_ date: Date?) -> JSONValue {
      date.map { .init(integerLiteral: Int($0.timeIntervalSince1970)) } ?? .null
    }
    return .object([
      "service": .string(item.service), "account": .string(item.account),
      "label": item.label.map(JSONValue.string) ?? .null, "group": .string(item.group.name),
      "created_at": seconds(item.createdAt), "modified_at": seconds(item.modifiedAt),
    ])
  }
}
