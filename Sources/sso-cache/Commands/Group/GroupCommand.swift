// SPDX-License-Identifier: MIT

import ArgumentParser

/// The command `sso-cache group`: the collection behind an access group.
struct GroupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "group",
    abstract: "Make, open, lock, move and remove an access group.",
    discussion: """
      Apps need none of it: a group is made with the first save and opened without a word. No dialog opens unless \
      --prompt allows it.

      Examples:
        sso-cache group create --group com.contoso.shared --publisher contoso
        sso-cache group unlock --group com.contoso.shared --prompt
      """,
    subcommands: [
      GroupCreate.self, GroupUnlock.self, GroupLock.self, GroupMove.self, GroupReset.self, GroupDelete.self,
    ])
}
