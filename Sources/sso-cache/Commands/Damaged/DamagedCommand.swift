// SPDX-License-Identifier: MIT

import ArgumentParser

/// The command `sso-cache damaged`, which handles items of a group that can't be read.
struct DamagedCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "damaged",
    abstract: "Show, export and remove items of a group that can't be read.",
    discussion: """
      A damaged item does not affect other items and is never overwritten. Its sign-in can't be stored until sso-cache \
      doctor --fix sets the item aside or it is removed. An item that is set aside keeps its content.

      Examples:
        sso-cache damaged list --group com.contoso.shared
        sso-cache damaged export 3fa9c1d2e4b5 --output item
        sso-cache damaged remove 3fa9c1d2e4b5
      """,
    subcommands: [DamagedList.self, DamagedExport.self, DamagedRemove.self],
    defaultSubcommand: DamagedList.self)
}
