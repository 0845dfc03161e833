// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache

/// The command `sso-cache group unlock`.
struct GroupUnlock: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock", abstract: "Open a group.",
    discussion: """
      Examples:
        sso-cache group unlock --group com.contoso.shared --prompt
      """)

  @OptionGroup var options: GroupOptions
  @OptionGroup var prompts: PromptOptions

  func run() async throws {
    let group = try options.open().backend.group
    let isThere = try await SecretStore().unlockGroup(group, interaction: prompts.interaction)
    options.report(
      "unlocked", isThere, isThere ? "The group is open." : "There is no such group; nothing to do.")
  }
}
