// SPDX-License-Identifier: MIT

import ArgumentParser

/// The command `sso-cache apps`, which shows the declarations in apps' `.desktop` files.
struct AppsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apps",
    abstract:
      "List apps' declarations of groups and redirect URIs, and create the files for a new declaration.",
    discussion: """
      Without a command it lists the .desktop files along XDG_DATA_HOME and XDG_DATA_DIRS that say anything \
      about groups, and what is wrong with them.

      Examples:
        sso-cache apps
        sso-cache apps init com.contoso.mail --group com.contoso.shared
      """,
    subcommands: [AppsList.self, AppsInit.self], defaultSubcommand: AppsList.self)
}
