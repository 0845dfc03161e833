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
        sso-cache group delete --group com.contoso.shared --publisher contoso
      """)

  @OptionGroup var options: GroupOptions
  @OptionGroup var prompts: PromptOptions

  @Flag(name: .shortAndLong, help: "Don't ask.")
  var yes = false

  func run() async throws {
    let group = try options.open().backend.group
    let question = "Remove \(group) with all accounts, tokens and secrets in it, for every app?"
    guard try Confirmation.agrees(question, isGiven: yes) else { throw CancellationError() }
    let wasThere = try await SecretStore().deleteGroup(group, interaction: prompts.interaction)
    options.report("deleted", wasThere, wasThere ? "Removed." : "There is no such group; nothing to do.")
  }
}
