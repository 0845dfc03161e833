// SPDX-License-Identifier: MIT

import ArgumentParser

/// The command `sso-cache apps`: what apps declare in their `.desktop` files.
struct AppsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apps",
    abstract: "Show what apps declare about their groups and redirect URIs, and begin such a declaration.",
    discussion: """
      Without a command it lists the .desktop files along XDG_DATA_HOME and XDG_DATA_DIRS that say anything \
      about groups, and what is wrong with them.

      Examples:
        sso-cache apps
        sso-cache apps init com.contoso.mail --group com.contoso.shared
      """,
    subcommands: [AppsList.self, AppsInit.self], defaultSubcommand: AppsList.self)
}
