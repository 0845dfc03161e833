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
      Examples:
        sso-cache secret list
        sso-cache secret list --service imap.contoso.com --json
      """)

  @OptionGroup var options: GroupOptions

  @Option(help: "Only the secrets of this service.")
  var service: String?

  func run() async throws {
    let secrets = try options.openSecrets()
    let items = try await secrets.list(service: service, from: options.group)
    if options.json { return Printer.json(.object(["secrets": .array(items.map(Self.json))])) }
    Printer.table(
      ["SERVICE", "ACCOUNT", "LABEL", "GROUP"],
      items.map { [$0.service, $0.account, $0.label ?? "", $0.group.name] },
      whole: ["SERVICE", "ACCOUNT"], none: "There are no secrets.")
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
