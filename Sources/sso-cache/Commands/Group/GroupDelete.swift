// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache

/// The command `sso-cache group delete`.
struct GroupDelete: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Remove a group with all accounts, tokens and secrets in it, for every app.",
    discussion: """
      Examples:
        sso-cache group delete --group com.contoso.shared --publisher com.contoso
      """)

  @OptionGroup var options: GroupOptions
  @OptionGroup var prompts: PromptOptions

  @Flag(name: .shortAndLong, help: "Don't ask.")
  var yes = false

  func run() async throws {
    let group = try options.open().group
    let question = "Remove \(group) with all accounts, tokens and secrets in it, for every app?"
    guard try await GroupRemovalQuestion.agrees(question, group, isConfirmed: yes) else {
      throw CancellationError()
    }
    let existed = try await SecretStore().deleteGroup(group, promptPolicy: prompts.promptPolicy)
    options.report("deleted", existed, existed ? "Removed." : "There is no such group; nothing to do.")
  }
}
