// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache

/// The command `sso-cache group create`.
struct GroupCreate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Make a group, if there is none.",
    discussion: """
      Examples:
        sso-cache group create --group com.contoso.shared --publisher com.contoso
      """)

  @OptionGroup var options: GroupOptions
  @OptionGroup var prompts: PromptOptions

  func run() async throws {
    let group = try options.open().group
    let isNew = try await SecretStore().createGroup(group, promptPolicy: prompts.promptPolicy)
    options.report("created", isNew, isNew ? "The group is made." : "The group is there already.")
  }
}
