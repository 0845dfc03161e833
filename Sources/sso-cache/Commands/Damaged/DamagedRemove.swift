// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache

/// The command `sso-cache damaged remove`.
struct DamagedRemove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove an item that can't be read, with all that it holds.",
    discussion: """
      Examples:
        sso-cache damaged remove 3fa9c1d2e4b5 --group com.contoso.shared
      """)

  @OptionGroup var options: GroupOptions

  @Argument(help: "The item, as sso-cache damaged shows it.")
  var id: String

  @Flag(name: .shortAndLong, help: "Don't ask.")
  var yes = false

  func run() async throws {
    let item = try await options.damagedItem(id)
    let question =
      "Remove the damaged item \(Printer.printable("\(item)"))? What it holds is lost then, unless it was exported."
    guard try Confirmation.agrees(question, isConfirmed: yes) else { throw CancellationError() }
    let isRemoved = try await GroupOptions.store.removeDamagedItem(item)
    options.report(
      "removed", isRemoved, isRemoved ? "Removed." : "It has changed or gone since; nothing to do.")
  }
}
