// SPDX-License-Identifier: MIT

import ArgumentParser
import FoundationEssentials
import SecretStoreCache

/// The command `sso-cache damaged export`.
struct DamagedExport: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Print what an item that can't be read holds, as it is.",
    discussion: """
      The output may hold tokens in clear. --output creates a file that only you can read and overwrites nothing; shell \
      redirection would let others read the file.

      Examples:
        sso-cache damaged export 3fa9c1d2e4b5 --group com.contoso.shared --output item
      """)

  @OptionGroup var options: GroupOptions

  @OptionGroup var output: OutputFile

  @Argument(help: "The item, as sso-cache damaged shows it.")
  var id: String

  func run() async throws {
    let item = try await options.damagedItem(id)
    try output.write(Array(item.content.data), isJSON: options.json)
  }

  func validate() throws {
    if options.json { try output.requireFile(for: "a damaged item") }
  }
}

extension GroupOptions {
  /// Returns the damaged item of the group with this id.
  func damagedItem(_ id: String) async throws -> DamagedItem {
    let group = try open().group
    if let item = try await Self.store.damagedItems(of: group).first(where: { $0.id == id }) { return item }
    throw SecretStoreError(.invalidArgument, "No damaged item of \(group) has that id.")
  }
}
