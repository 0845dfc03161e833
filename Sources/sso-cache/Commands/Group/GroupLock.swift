// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache

/// The command `sso-cache group lock`.
struct GroupLock: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock", abstract: "Lock a group that has a collection of its own.",
    discussion: """
      The next call of an app opens it again without a word, as long as the login keyring is open.

      Examples:
        sso-cache group lock --group com.contoso.shared --publisher com.contoso
      """
  )

  @OptionGroup var options: GroupOptions

  func run() async throws {
    let group = try options.open().group
    let existed = try await SecretStore().lockGroup(group)
    options.report(
      "locked", existed, existed ? "The group is locked." : "There is no such group; nothing to do.")
  }
}
