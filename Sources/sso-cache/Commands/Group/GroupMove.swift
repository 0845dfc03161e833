// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache

/// The command `sso-cache group move`.
struct GroupMove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "move", abstract: "Move a group out of the default collection into one of its own.",
    discussion: """
      Examples:
        sso-cache group move --group com.contoso.shared --prompt
      """)

  @OptionGroup var options: GroupOptions
  @OptionGroup var prompts: PromptOptions

  func run() async throws {
    let group = try options.open().backend.group
    let count = try await SecretStore().moveGroup(group, interaction: prompts.interaction)
    options.report("moved", count > 0, count > 0 ? "Moved \(count) records." : "There is nothing to move.")
  }
}
