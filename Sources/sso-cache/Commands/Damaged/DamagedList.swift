// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache
import StrictJSON

/// The command `sso-cache damaged list`.
struct DamagedList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the items that can't be read.",
    discussion: """
      Examples:
        sso-cache damaged list --group com.contoso.shared
      """)

  @OptionGroup var options: GroupOptions

  func run() async throws {
    let group = try options.open().group
    let items = try await GroupOptions.store.damagedItems(of: group)
    if options.json { return Printer.json(.object(["damaged": .array(items.map(Self.json))])) }
    Printer.table(
      ["ID", "WHAT IT IS FOR", "STATE", "WHY"],
      items.map { [$0.id, $0.description, $0.isSetAside ? "set aside" : "in place", $0.reason] },
      none: "Every item of \(group) can be read.")
  }

  private static func json(_ item: DamagedItem) -> JSONValue {
    .object([
      "id": .string(item.id), "kind": .string(item.record.kind.rawValue),
      "client_id": .string(item.record.clientID), "environment": .string(item.record.environment),
      "set_aside": .bool(item.isSetAside), "detail": .string(item.reason),
    ])
  }
}
