// SPDX-License-Identifier: MIT

import ArgumentParser

/// The command `sso-cache group`, which manages the collection of an access group.
struct GroupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "group",
    abstract: "Create, unlock, lock, move, copy and remove an access group.",
    discussion: """
      Apps do not need these commands: the first save creates a group, and calls unlock it silently. No prompt is \
      shown unless --prompt is given.

      Examples:
        sso-cache group create --group com.contoso.shared --publisher com.contoso
        sso-cache group unlock --group com.contoso.shared --prompt
      """,
    subcommands: [
      GroupCreate.self, GroupUnlock.self, GroupLock.self, GroupMove.self, GroupCopy.self,
      GroupReset.self, GroupDelete.self,
    ])
}
